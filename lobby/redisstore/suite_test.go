package redisstore

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"oxo/lobby"
	"oxo/lobby/redisstore/redistest"
	"oxo/lobby/room"
	"oxo/lobby/storetest"
)

func TestMain(m *testing.M) {
	redis.SetLogger(quiet{})
	// go-redis looks once a second whether dialling works again, and ends that
	// a second after it was closed at the latest.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}

// quiet keeps go-redis from writing about every connection that the tests
// break.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

// suite runs storetest on a Redis; all stores share it.
func suite(t *testing.T, url string) {
	config := func(s lobby.Store) Config {
		return Config{URL: url, Prefix: s.(*Store).keys.root}
	}
	storetest.Run(t, storetest.Harness{
		Open: func(t *testing.T) lobby.Store { return openTest(t, Config{URL: url, Prefix: newPrefix()}) },
		Reopen: func(t *testing.T, s lobby.Store) lobby.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return openTest(t, config(s))
		},
		Second: func(t *testing.T, s lobby.Store) lobby.Store { return openTest(t, config(s)) },
		Damage: func(t *testing.T, s lobby.Store, id room.ID) {
			client := s.(*Store).client
			key := s.(*Store).keys.log(id)
			if err := client.Del(t.Context(), key).Err(); err != nil {
				t.Fatal(err)
			}
			if err := client.Set(t.Context(), key, "what is this", time.Hour).Err(); err != nil {
				t.Fatal(err)
			}
		},
	})
}

func TestStoreEverysec(t *testing.T) {
	suite(t, redistest.Start(t, redistest.Options{Fsync: "everysec"}).URL)
}

func TestStoreAlways(t *testing.T) {
	suite(t, redistest.Start(t, redistest.Options{Fsync: "always"}).URL)
}

func TestStoreCluster(t *testing.T) {
	suite(t, redistest.StartCluster(t, 3, redistest.Options{Fsync: "everysec"}).URL)
}
