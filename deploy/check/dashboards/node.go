package dashboards

// node looks into one process: choose it with the variable.
func node() board {
	return board{
		uid: "oxo-node", title: "oxo node",
		about: "One node, or several side by side: what goes through it, its way to Redis, and the process itself.",
		rows:  []row{traffic(), redis(), process(), runtime()},
	}
}

func traffic() row {
	const none = "no node is scraped"
	return row{"Traffic", []panel{
		{kind: lines, title: "Connections", unit: "short", none: none,
			about: "By node. A balancer should keep them alike, after a while.",
			ask:   one(total("oxo_connections", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Life of a connection", unit: "s", none: "no connection has ended yet",
			about: "Of those that have ended. A step at the same number of seconds is a proxy's time-out.",
			ask:   quantiles("oxo_connection_duration_seconds", "")},
		{kind: lines, title: "Ready and draining", unit: "short", none: none,
			about: "1 while the node takes players; 1 while it sends them away to be stopped.",
			ask: []query{
				{highest("oxo_ready", "", "instance"), "{{instance}} ready"},
				{highest("oxo_draining", "", "instance"), "{{instance}} draining"},
			}},
		{kind: lines, title: "Messages received", unit: "ops", none: none,
			about: "From clients, by type.",
			ask:   one(perSecond("oxo_messages_received_total", "", "type"), "{{type}}")},
		{kind: lines, title: "Messages sent", unit: "ops", none: none,
			about: "To clients, by type.",
			ask:   one(perSecond("oxo_messages_sent_total", "", "type"), "{{type}}")},
		{kind: lines, title: "Bytes of messages", unit: "Bps", none: none,
			about: "Before framing and compression.",
			ask: []query{
				{perSecond("oxo_received_bytes_total", "", "instance"), "received by {{instance}}"},
				{perSecond("oxo_sent_bytes_total", "", "instance"), "sent by {{instance}}"},
			}},
		{kind: lines, title: "Time of a move by node, p95", unit: "s", none: "no moves yet",
			about: "One node apart from the others has a reason of its own: its host, its way to Redis.",
			ask:   one(quantile(0.95, "oxo_move_duration_seconds", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Time to tell everybody by node, p95", unit: "s", none: "no moves yet",
			about: "From the commit to the last write to a connection.",
			ask:   one(quantile(0.95, "oxo_broadcast_duration_seconds", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Network", unit: "Bps", none: none,
			about: "Bytes of the node's network name space, all programs in it.",
			ask: []query{
				{perSecond("process_network_receive_bytes_total", "", "instance"), "received by {{instance}}"},
				{perSecond("process_network_transmit_bytes_total", "", "instance"), "sent by {{instance}}"},
			}},
	}}
}

func redis() row {
	const none = "no store with commands; the embedded one has none"
	return row{"Way to Redis", []panel{
		{kind: lines, title: "Store calls", unit: "ops", none: none,
			about: "By call.",
			ask:   one(perSecond("oxo_store_command_duration_seconds_count", "", "command"), "{{command}}")},
		{kind: lines, title: "Time of a store call by node, p95", unit: "s", none: none,
			about: "All calls together.",
			ask:   one(quantile(0.95, "oxo_store_command_duration_seconds", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Failed store calls by call", unit: "ops", none: none,
			about: "By call and reason, those that failed at all.",
			ask:   one(perSecond("oxo_store_command_errors_total", "", "command, reason"), "{{command}}: {{reason}}")},
		{kind: stack, title: "Connections to Redis", unit: "short", none: none,
			about: "used: with a call on the way; idle; pubsub: those that listen.",
			ask:   one(total("oxo_redis_pool_connections", "", "state"), "{{state}}")},
		{kind: lines, title: "Pool", unit: "ops", none: none,
			about: "A free connection was found (hit), was not (miss), did not come in time (timeout).",
			ask: []query{
				{perSecond("oxo_redis_pool_hits_total", "", ""), "hit"},
				{perSecond("oxo_redis_pool_misses_total", "", ""), "miss"},
				{perSecond("oxo_redis_pool_timeouts_total", "", ""), "timeout"},
			}},
		{kind: lines, title: "Pub/Sub messages", unit: "ops", none: none,
			about: "batch: changes of rooms; presence: who watches; pair: pairings; probe: the node's own question whether it still hears.",
			ask:   one(perSecond("oxo_pubsub_messages_received_total", "", "kind"), "{{kind}}")},
		{kind: lines, title: "Pub/Sub lag by node, p99", unit: "s", none: none,
			about: "Above 0.25 s a ticket is written.",
			ask:   one(quantile(0.99, "oxo_pubsub_lag_seconds", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Gaps and renewed subscriptions", unit: "ops", none: none,
			about: "Holes in what came by Pub/Sub, and connections to it that were made anew.",
			ask: []query{
				{perSecond("oxo_pubsub_gaps_total", "", "instance"), "gaps of {{instance}}"},
				{perSecond("oxo_pubsub_reconnects_total", "", "instance"), "renewed by {{instance}}"},
			}},
		{kind: lines, title: "Clients of Redis", unit: "short", none: "no exporter is scraped",
			about: "Connections that Redis has, and those it keeps waiting.",
			ask: []query{
				{"redis_connected_clients", "connected"},
				{"redis_blocked_clients", "blocked"},
			}},
	}}
}

func process() row {
	const none = "no node is scraped"
	return row{"Process", []panel{
		{kind: lines, title: "CPU", unit: "short", none: none,
			about: "Cores in use, by node.",
			ask:   one(perSecond("process_cpu_seconds_total", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Memory", unit: "bytes", none: none,
			about: "Resident memory, and the part of it that is live heap.",
			ask: []query{
				{total("process_resident_memory_bytes", "", "instance"), "resident {{instance}}"},
				{total("go_gc_heap_live_bytes", "", "instance"), "live heap {{instance}}"},
			}},
		{kind: lines, title: "File descriptors", unit: "percentunit", ratio: true, none: none,
			about: "Of those that the system allows. Each connection needs one.",
			ask:   one(total("process_open_fds", "", "instance")+" / "+total("process_max_fds", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Up since", unit: "s", none: none,
			about: "The age of the process.",
			ask:   one("time() - "+highest("process_start_time_seconds", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Log", unit: "ops", none: none,
			about: "Lines a second, by level.",
			ask:   one(perSecond("oxo_log_messages_total", "", "level"), "{{level}}")},
		{kind: lines, title: "Panics", unit: "ops", none: none,
			about: "Survived, by the part that panicked. Each writes a ticket.",
			ask:   one(perSecond("oxo_panics_total", "", "component"), "{{component}}")},
	}}
}

func runtime() row {
	const none = "no node is scraped"
	return row{"Go runtime", []panel{
		{kind: lines, title: "Goroutines", unit: "short", none: none,
			about: "Two a connection, and some.",
			ask:   one(total("go_goroutines", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Waiting for a core, p99", unit: "s", none: none,
			about: "How long goroutines that could run had to wait: above some milliseconds the node has too little CPU.",
			ask:   one(quantile(0.99, "go_sched_latencies_seconds", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Allocation", unit: "Bps", none: none,
			about: "Bytes of heap allocated a second.",
			ask:   one(perSecond("go_gc_heap_allocs_bytes_total", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Garbage collections", unit: "ops", none: none,
			about: "A second.",
			ask:   one(perSecond("go_gc_cycles_total_gc_cycles_total", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Longest pause lately", unit: "s", none: none,
			about: "Of the last collections.",
			ask:   one(highest("go_gc_duration_seconds", `quantile="1"`, "instance"), "{{instance}}")},
		{kind: lines, title: "Samples in a scrape", unit: "short", none: none,
			about: "Labels are closed sets, so this does not grow.",
			ask:   one(total("scrape_samples_scraped", "", "instance"), "{{instance}}")},
	}}
}
