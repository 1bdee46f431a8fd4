package redisstore

import (
	"fmt"
	"testing"
	"time"

	"oxo/lobby"
	"oxo/lobby/redisstore/redistest"
	"oxo/lobby/room"
)

// TestFailOver loses a master that had not told its replica everything. The
// store goes on with the replica, and whoever knew more than it is told so.
func TestFailOver(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t, redistest.Options{})
	replica := redistest.Start(t, redistest.Options{Args: []string{"--replicaof", "127.0.0.1", fmt.Sprint(master.Port), "--repl-diskless-sync-delay", "0"}})
	sentinel := redistest.Start(t, redistest.Options{
		File: fmt.Sprintf("sentinel monitor m 127.0.0.1 %d 1\nsentinel down-after-milliseconds m 300\nsentinel failover-timeout m 2000\n", master.Port),
		Args: []string{"--sentinel"},
	})
	linked := func(s *redistest.Server, want string) func() bool {
		return func() bool {
			info, err := s.Do("info", "replication")
			return err == nil && parseInfo(fmt.Sprint(info))[want] != "" && parseInfo(fmt.Sprint(info))["master_link_status"] != "down"
		}
	}
	eventually(t, "the replica follows", linked(replica, "master_host"))
	eventually(t, "the Sentinel knows the replica", func() bool {
		all, err := sentinel.Do("sentinel", "replicas", "m")
		list, _ := all.([]any)
		return err == nil && len(list) == 1
	})
	s := openTest(t, Config{URL: "redis-sentinel://" + sentinel.Addr + "/0?master_name=m"})
	id := newRoom()
	e := listen(t, s, id)
	kept := add(t, s, id, room.Cursor{}, "a", "b")
	eventually(t, "the replica has it", func() bool {
		n, err := replica.Do("llen", s.keys.log(id))
		return err == nil && n == int64(2)
	})
	replica.Pause()
	lost := add(t, s, id, kept[2], "c", "d")
	eventually(t, "it is told", func() bool { return e.reached(lost[2]) })
	master.Kill()
	// What is on its way to the replica goes down with its connection; where
	// it does not, nothing is lost.
	replica.Resume()
	var end room.Cursor
	eventually(t, "the replica takes over", func() bool {
		tails, err := s.Tails(limited(t, time.Second), []room.ID{id})
		if err != nil || s.Health(limited(t, time.Second)) != nil {
			return false
		}
		end = tails[0]
		return true
	})
	eventually(t, "the ear is told to look again", func() bool { return e.looks() > 0 })
	switch _, _, err := s.Read(t.Context(), id, lost[2]); {
	case end == lost[2]:
		check(t, err)
	case end == kept[2]:
		wants(t, err, lobby.ErrDiverged)
	default:
		t.Fatalf("the history ends at %v: %v", end, err)
	}
	end = persist(t, s, id, end, "x")
	eventually(t, "the next append is told", func() bool { return e.reached(end) })
}
