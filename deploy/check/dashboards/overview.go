package dashboards

// overview is the board on the wall: is the game all right, and if not, where
// to look next.
func overview() board {
	return board{
		uid: "oxo-overview", title: "oxo overview",
		about: "Is the game all right? From the players' side inwards: connections, rooms, moves, computers, the store, the processes.",
		rows: []row{
			glance(), connections(), roomsAndMatchmaking(), moves(), engineShort(), storeShort(), processShort(),
		},
	}
}

const chosenVariant = `variant=~"$variant"`

func glance() row {
	const nobody = "no node is scraped"
	return row{"At a glance", []panel{
		{kind: number, wide: 3, title: "Nodes up", unit: "short", none: nobody,
			about: "Nodes that answer Prometheus.",
			ask:   one(total("up", "", ""), "up")},
		{kind: number, wide: 3, title: "Nodes ready", unit: "short", none: nobody,
			about: "Nodes that take players: not draining, and the store takes writes.",
			ask:   one(total("oxo_ready", "", ""), "ready")},
		{kind: number, wide: 3, title: "Connections", unit: "short", none: nobody,
			about: "WebSocket connections of players, spectators and those in the lobby.",
			ask:   one(total("oxo_connections", "", ""), "connections")},
		{kind: number, wide: 3, title: "Headroom", unit: "percentunit", none: nobody,
			about: "The share of the connections that the nodes could take and that is free. Below 20 % a ticket is written, below 5 % somebody is woken.",
			ask:   one("1 - "+total("oxo_connections", "", "")+" / "+total("oxo_connections_limit", "", ""), "free")},
		{kind: number, wide: 3, title: "Games playing", unit: "short", none: nobody,
			about: "Games being played in rooms that somebody watches; a room that is watched through two nodes counts twice.",
			ask:   one(total("oxo_rooms", chosenVariant+`,state="playing"`, ""), "games")},
		{kind: number, wide: 3, title: "Moves", unit: "ops", none: nobody,
			about: "Accepted moves a second, of people and computers.",
			ask:   one(perSecond("oxo_moves_total", chosenVariant+`,outcome="accepted"`, ""), "moves")},
		{kind: number, wide: 3, title: "Moves within 100 ms", unit: "percentunit", none: "no moves yet",
			about: "The first promise: 99 % of people's moves, over the time shown.",
			ask: one(`sum(increase(oxo_move_duration_seconds_bucket{@,le="0.1"}[$__range])) / (sum(increase(oxo_move_duration_seconds_count{@}[$__range])) > 0)`,
				"fast")},
		{kind: number, wide: 3, title: "Moves without our fault", unit: "percentunit", none: "no moves yet",
			about: "The second promise: 99.9 % of moves end without an internal error, over the time shown.",
			ask: one(`1 - sum(increase(oxo_moves_total{@,outcome="internal"}[$__range])) / (sum(increase(oxo_moves_total{@}[$__range])) > 0)`,
				"good")},
	}}
}

func connections() row {
	const none = "no connections yet"
	return row{"Connections", []panel{
		{kind: stack, title: "Connections by role", unit: "short", none: none,
			about: "Players sit in a room they watch, spectators watch only, and those in the lobby watch nothing.",
			ask:   one(total("oxo_connections", "", "role"), "{{role}}")},
		{kind: lines, title: "Asked for, by result", unit: "ops", none: none,
			about: "Connections asked for a second. limit: too many or too fast; draining: the node is leaving; origin: from a foreign page; auth: ended before saying who it was.",
			ask:   one(perSecond("oxo_connections_opened_total", "", "result"), "{{result}}")},
		{kind: lines, title: "Ended, by code", unit: "ops", none: none,
			about: "Connections ended a second. 1001: the page was left; 1006: cut without a word, as in a tunnel; 1012: the node restarts.",
			ask:   one(perSecond("oxo_connections_closed_total", "", "code, initiator"), "{{code}} by {{initiator}}")},
		{kind: lines, title: "Rooms taken up again", unit: "ops", none: none,
			about: "After a reconnect. resumed: where the client stood; reset: the stored history is another one; unknown: the room is gone.",
			ask:   one(perSecond("oxo_reconnects_total", "", "result"), "{{result}}")},
		{kind: lines, title: "Round trip of a ping", unit: "s", none: "no ping has come back yet",
			about: "From the node to the client and back: the network between them.",
			ask:   quantiles("oxo_ping_rtt_seconds", "")},
		{kind: lines, title: "Refused for their rate, and slow clients", unit: "ops", none: none,
			about: "What came too fast, by limit, and connections that were cut because they took nothing for 5 s.",
			ask: []query{
				{perSecond("oxo_rate_limited_total", "", "limit"), "{{limit}}"},
				{perSecond("oxo_slow_consumer_disconnects_total", "", ""), "slow client cut"},
			}},
	}}
}

func roomsAndMatchmaking() row {
	const none = "no rooms yet"
	return row{"Rooms and matchmaking", []panel{
		{kind: stack, title: "Watched rooms by state", unit: "short", none: none,
			about: "Rooms that connections watch, by what goes on there.",
			ask:   one(total("oxo_rooms", chosenVariant, "state"), "{{state}}")},
		{kind: stack, title: "Watched rooms by mode", unit: "short", none: none,
			about: "open: with whoever comes; invite: by a link; computer; screen: two at one screen.",
			ask:   one(total("oxo_rooms", chosenVariant, "mode"), "{{mode}}")},
		{kind: lines, title: "Games on the public lists", unit: "short", none: none,
			about: "open: waiting for anyone; live: being played. Over all nodes.",
			ask:   one(highest("oxo_rooms_listed", "", "shelf"), "{{shelf}}")},
		{kind: lines, title: "Rooms made and games ended", unit: "ops", none: none,
			about: "A second; games by how they ended.",
			ask: []query{
				{perSecond("oxo_rooms_created_total", chosenVariant, ""), "rooms made"},
				{perSecond("oxo_games_finished_total", chosenVariant, "result"), "{{result}}"},
			}},
		{kind: lines, title: "Length of a game", unit: "s", none: "no game has ended yet",
			about: "From the first turn to the result.",
			ask:   quantiles("oxo_game_duration_seconds", "")},
		{kind: stack, title: "Seats and spectators", unit: "short", none: none,
			about: "Who sits in the watched rooms that wait or play, and who looks on.",
			ask: []query{
				{total("oxo_seats", "", "occupant"), "{{occupant}}"},
				{total("oxo_spectators", "", ""), "spectators"},
			}},
		{kind: stack, title: "Waiting for an opponent", unit: "short", none: none,
			about: "Players in the queue, by board.",
			ask:   one(total("oxo_matchmaking_queue", chosenVariant, "variant"), "{{variant}}")},
		{kind: lines, title: "Longest wait in the queue", unit: "s", none: none,
			about: "Of those who still wait. Over a minute for five minutes writes a ticket.",
			ask:   one(highest("oxo_matchmaking_oldest_wait_seconds", chosenVariant, "variant"), "{{variant}}")},
		{kind: lines, title: "How long it took to be paired", unit: "s", none: "nobody has been paired yet",
			about: "Of those who were paired.",
			ask:   quantiles("oxo_matchmaking_wait_seconds", `outcome="matched"`)},
	}}
}

func moves() row {
	const none = "no moves yet"
	return row{"Moves", []panel{
		{kind: lines, title: "Time of a move", unit: "s", none: none,
			about: "From the frame read to the event queued for the mover: what a player waits for, less the network. The promise is 99 % below 0.1 s.",
			ask:   quantiles("oxo_move_duration_seconds", "")},
		{kind: heat, title: "Time of a move, all of them", unit: "s", none: none,
			about: "The same as a heat map: a second band above the first is a second kind of move, or a node that is slow.",
			ask:   one(buckets("oxo_move_duration_seconds", ""), "{{le}}")},
		{kind: lines, title: "Time of a move by stage, p95", unit: "s", none: none,
			about: "queue: waiting for the room; decide: reading it and judging the move; persist: storing it; publish: handing it to the mover.",
			ask:   one(quantile(0.95, "oxo_move_stage_duration_seconds", "", "stage"), "{{stage}}")},
		{kind: lines, title: "Moves by board", unit: "ops", none: none,
			about: "Accepted moves a second.",
			ask:   one(perSecond("oxo_moves_total", chosenVariant+`,outcome="accepted"`, "variant"), "{{variant}}")},
		{kind: lines, title: "Moves that were not played", unit: "ops", none: none,
			about: "A second, by reason. internal is our fault; stale_version is somebody who was a little late.",
			ask:   one(perSecond("oxo_moves_total", chosenVariant+`,outcome!="accepted"`, "outcome"), "{{outcome}}")},
		{kind: lines, title: "How much of the promises is broken", unit: "percentunit", none: "no moves yet",
			about: "Slow moves (1 % may be) and failed moves (0.1 % may be), as the rules record them over five minutes.",
			ask: []query{
				{`job:oxo_moves_slow:ratio_rate5m{job="$job"}`, "slow"},
				{`job:oxo_moves_failed:ratio_rate5m{job="$job"}`, "failed"},
			}},
		{kind: lines, title: "Time to tell everybody", unit: "s", none: none,
			about: "From the commit to the last write to a connection.",
			ask:   quantiles("oxo_broadcast_duration_seconds", "")},
		{kind: lines, title: "Told at once", unit: "short", none: none,
			about: "Connections that a change of a room goes to, on average.",
			ask:   one(mean("oxo_broadcast_recipients", "", ""), "connections")},
		{kind: lines, title: "Messages", unit: "ops", none: none,
			about: "From and to clients, a second.",
			ask: []query{
				{perSecond("oxo_messages_received_total", "", ""), "received"},
				{perSecond("oxo_messages_sent_total", "", ""), "sent"},
			}},
	}}
}

func engineShort() row {
	const none = "no computer has thought yet"
	return row{"Engine", []panel{
		{kind: lines, title: "Thinking time by level, p95", unit: "s", none: none,
			about: "Of a computer's move. The engine board has more.",
			ask:   one(quantile(0.95, "oxo_engine_search_duration_seconds", "", "level")+" >= 0", "{{level}}")},
		{kind: lines, title: "Busy workers", unit: "percentunit", ratio: true, none: none,
			about: "The share of the computers that think at the same time.",
			ask:   one(total("oxo_engine_workers_busy", "", "instance")+" / "+total("oxo_engine_workers", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Moves not thought out", unit: "ops", none: none,
			about: "Stand-ins a second: no worker in time (overload), a mind that hung (timeout) or erred.",
			ask:   one(perSecond("oxo_ai_fallbacks_total", "", "reason"), "{{reason}}")},
	}}
}

func storeShort() row {
	const none = "no store with commands; the embedded one has none"
	return row{"Store and cluster", []panel{
		{kind: lines, title: "Time of a store call, p95", unit: "s", none: none,
			about: "By call. append is what a move waits for.",
			ask:   one(quantile(0.95, "oxo_store_command_duration_seconds", "", "command")+" >= 0", "{{command}}")},
		{kind: lines, title: "Failed store calls", unit: "ops", none: none,
			about: "By reason. More than 1 % of all calls wakes somebody.",
			ask:   one(perSecond("oxo_store_command_errors_total", "", "reason"), "{{reason}}")},
		{kind: lines, title: "Pub/Sub lag", unit: "s", none: none,
			about: "How long the node's own probes take through Redis and back.",
			ask:   quantiles("oxo_pubsub_lag_seconds", "")},
		{kind: lines, title: "Gaps in the feed", unit: "ops", none: none,
			about: "Messages that did not come, by how they were made good. lost wakes somebody: the store has forgotten.",
			ask:   one(perSecond("oxo_pubsub_gaps_total", "", "resolution"), "{{resolution}}")},
		{kind: lines, title: "Memory of Redis", unit: "bytes", none: "no exporter is scraped",
			about: "Used, of what it may use (0: no limit). It must not evict, so full means that writes fail.",
			ask: []query{
				{"redis_memory_used_bytes", "used {{instance}}"},
				{"redis_memory_max_bytes", "may use {{instance}}"},
			}},
		{kind: lines, title: "Commands of Redis", unit: "ops", none: "no exporter is scraped",
			about: "A second, of all its clients.",
			ask:   one("sum by (instance) (rate(redis_commands_processed_total[$__rate_interval]))", "{{instance}}")},
	}}
}

func processShort() row {
	const none = "no node is scraped"
	return row{"Process", []panel{
		{kind: lines, title: "CPU", unit: "short", none: none,
			about: "Cores in use, by node.",
			ask:   one(perSecond("process_cpu_seconds_total", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Memory", unit: "bytes", none: none,
			about: "Resident, by node.",
			ask:   one(total("process_resident_memory_bytes", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Warnings, errors, panics", unit: "ops", none: none,
			about: "Lines logged a second at these levels, and panics survived.",
			ask: []query{
				{perSecond("oxo_log_messages_total", `level=~"warn|error"`, "level"), "{{level}}"},
				{perSecond("oxo_panics_total", "", "component"), "panic in {{component}}"},
			}},
		{kind: lines, title: "Versions", unit: "short", none: none,
			about: "Nodes of each release.",
			ask:   one("count by (version, revision) (oxo_build_info{@})", "{{version}} {{revision}}")},
	}}
}
