package dashboards

// engineBoard tells what the computers do: what they are asked, how deep they
// look, and whether they have the time for it.
func engineBoard() board {
	return board{
		uid: "oxo-engine", title: "oxo engine",
		about: "The computers: what they are asked, how long and how deep they think, and whether there are workers enough.",
		rows:  []row{searches(), workers()},
	}
}

func searches() row {
	const none = "no computer has thought yet"
	return row{"Searches", []panel{
		{kind: lines, title: "Searches by level", unit: "ops", none: none,
			about: "Positions thought about a second. The levels that do not look ahead share the name instant.",
			ask:   one(perSecond("oxo_engine_searches_total", chosenVariant, "level"), "{{level}}")},
		{kind: lines, title: "Searches by board", unit: "ops", none: none,
			about: "Positions thought about a second.",
			ask:   one(perSecond("oxo_engine_searches_total", chosenVariant, "variant"), "{{variant}}")},
		{kind: lines, title: "Searches by outcome", unit: "ops", none: none,
			about: "answered: with a legal move; fallback: by the instant stand-in; cancelled: the board had changed meanwhile.",
			ask:   one(perSecond("oxo_engine_searches_total", chosenVariant, "outcome"), "{{outcome}}")},
		{kind: lines, title: "Thinking time by level, p95", unit: "s", none: none,
			about: "Of levels that were asked. An upper level that answers fast has seen the end of the game.",
			ask:   one(quantile(0.95, "oxo_engine_search_duration_seconds", "", "level")+" >= 0", "{{level}}")},
		{kind: heat, title: "Thinking time, all of it", unit: "s", none: none,
			about: "All searches as a heat map.",
			ask:   one(buckets("oxo_engine_search_duration_seconds", ""), "{{le}}")},
		{kind: lines, title: "Depth by level, mean", unit: "short", none: none,
			about: "Plies that a search completed, of levels that look ahead and were asked.",
			ask:   one(mean("oxo_engine_search_depth", "", "level"), "{{level}}")},
		{kind: lines, title: "Positions looked at", unit: "ops", none: none,
			about: "Nodes of the search trees a second, by board.",
			ask:   one(perSecond("oxo_engine_nodes_total", chosenVariant, "variant"), "{{variant}}")},
		{kind: lines, title: "Positions a second of thinking", unit: "ops", none: none,
			about: "How fast the search is, per worker that thinks. A drop after a deploy is a slower engine.",
			ask: one(perSecond("oxo_engine_nodes_total", "", "")+
				" / (sum(rate(oxo_engine_search_duration_seconds_sum{@}[$__rate_interval])) > 0)", "positions")},
		{kind: lines, title: "Stand-ins among the moves", unit: "percentunit", none: "no computer has thought yet",
			about: "The share of the computers' moves that were not thought out. Above 5 % a ticket is written.",
			ask: one("sum(rate(oxo_ai_fallbacks_total{@}[$__rate_interval])) / (sum(rate(oxo_engine_searches_total{@}[$__rate_interval])) > 0)",
				"stand-ins")},
	}}
}

func workers() row {
	const none = "no node is scraped"
	return row{"Workers", []panel{
		{kind: lines, title: "Workers and how many are busy", unit: "short", none: none,
			about: "Computers that can think at the same time, and that do, by node.",
			ask: []query{
				{total("oxo_engine_workers", "", "instance"), "workers of {{instance}}"},
				{total("oxo_engine_workers_busy", "", "instance"), "busy at {{instance}}"},
			}},
		{kind: lines, title: "Waiting for a worker", unit: "short", none: none,
			about: "Positions in the queue, by node.",
			ask:   one(total("oxo_engine_queue", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Time until a worker is free", unit: "s", none: "no computer has thought yet",
			about: "It is taken from the thinking time, and past a limit a stand-in plays.",
			ask:   quantiles("oxo_engine_queue_wait_seconds", "")},
		{kind: lines, title: "Stand-ins by reason", unit: "ops", none: none,
			about: "overload: no worker in time; timeout: the mind hung; error: it erred.",
			ask:   one(perSecond("oxo_ai_fallbacks_total", "", "reason"), "{{reason}}")},
		{kind: lines, title: "CPU", unit: "short", none: none,
			about: "Cores in use, by node: thinking is most of it.",
			ask:   one(perSecond("process_cpu_seconds_total", "", "instance"), "{{instance}}")},
		{kind: lines, title: "Panics in the engine", unit: "ops", none: none,
			about: "A search that panicked; a stand-in has played.",
			ask:   one(perSecond("oxo_panics_total", `component="engine"`, "instance"), "{{instance}}")},
	}}
}
