package main

// spareFiles are for everything that is no player's connection: the store,
// requests over HTTP, operators.
const spareFiles = 1000

// checkFiles warns of a limit of open files that is reached before that of
// connections: then nobody is told that the node is full, connections just fail,
// and those to the store with them.
func (n *instance) checkFiles() {
	limit, known := openFiles()
	need := uint64(n.c.MaxConnections) + spareFiles
	if known && limit < need {
		n.log.Warn("the system lets this process open too few files for its connections. Raise the limit (LimitNOFILE, ulimits, ulimit -n) or lower --max-connections",
			"limit", limit, "max_connections", n.c.MaxConnections, "needed", need)
	}
}
