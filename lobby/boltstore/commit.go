package boltstore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// maxGroup bounds the jobs of one transaction, and with it the time that one
// caller waits for others.
const maxGroup = 1024

// job is a change that somebody waits for.
type job struct {
	ctx  context.Context
	do   func(*txn) error
	err  error // what do returned
	done chan error
}

// submit has the committer do something in its next transaction and returns
// what it returned once that is durable. If the context ends first, or the
// commit fails, the outcome is unknown; what do leaves behind may be read only
// after an answer.
func (s *Store) submit(ctx context.Context, do func(*txn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.closing() { // a select might still choose the channel
		return ErrClosed
	}
	j := &job{ctx: ctx, do: do, done: make(chan error, 1)}
	select {
	case s.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.stop:
		return ErrClosed
	}
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-s.stopped:
	}
	select {
	case err := <-j.done:
		return err
	default: // it came after the last transaction
		return ErrClosed
	}
}

// run is the committer.
func (s *Store) run(sweepEvery time.Duration) {
	defer close(s.stopped)
	sweep := time.NewTimer(0) // what expired while nobody looked goes first
	defer sweep.Stop()
	for {
		select {
		case j := <-s.jobs:
			s.commit(s.group(j))
		case <-sweep.C:
			if s.sweep() {
				sweep.Reset(0)
			} else {
				sweep.Reset(sweepEvery)
			}
		case <-s.stop:
			for {
				select {
				case j := <-s.jobs:
					s.commit(s.group(j))
				default:
					return
				}
			}
		}
	}
}

// group returns a job and those that wait behind it.
func (s *Store) group(first *job) []*job {
	// Those answered just now often have their next job ready in a moment.
	// Letting them run first makes groups of 16 rooms 14 jobs instead of 8.
	runtime.Gosched()
	jobs := []*job{first}
	for len(jobs) < maxGroup {
		select {
		case j := <-s.jobs:
			jobs = append(jobs, j)
		default:
			return jobs
		}
	}
	return jobs
}

// commit does jobs in one transaction, answers them and tells subscribers.
func (s *Store) commit(jobs []*job) {
	publish, err := s.update(func(t *txn) {
		for _, j := range jobs {
			// Whoever stopped waiting may have gone; the work would only keep
			// the others waiting.
			if j.err = j.ctx.Err(); j.err == nil {
				j.err = j.do(t)
			}
		}
	})
	for _, j := range jobs {
		if err != nil {
			j.done <- err
		} else {
			j.done <- j.err
		}
	}
	for _, tell := range publish {
		tell()
	}
}

// update runs a transaction. If it changed anything it is durable when update
// returns without an error; the calls for subscribers are returned. Only the
// committer may call it.
func (s *Store) update(do func(*txn)) (publish []func(), err error) {
	if s.stuck {
		return nil, fmt.Errorf("data file %s: %w", s.path, ErrDamaged)
	}
	t := &txn{now: s.now()}
	written := false
	defer func() { s.note(t, written, err) }()
	defer s.rescue(&err, func() {
		// Until the rollback has worked, bbolt's lock may be held.
		s.stuck = true
		if t.tx != nil {
			_ = t.tx.Rollback() // all it can say is that the transaction has ended
		}
		s.stuck = false
	})
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))

	t.tx, err = s.db.Begin(true)
	if err != nil {
		return nil, fmt.Errorf("data file %s: %w", s.path, err)
	}
	t.id = t.tx.ID()
	do(t)
	s.mu.Lock()
	doubt := s.doubt
	s.mu.Unlock()
	if doubt {
		// What a job found may come from the failed transaction. Only a
		// transaction on top of it shows that the disk has it.
		t.probe()
	}
	if t.err != nil || !t.dirty {
		_ = t.tx.Rollback() // cannot fail: the transaction is open
		return nil, t.err
	}
	written = true
	if err := t.tx.Commit(); err != nil {
		return nil, fmt.Errorf("data file %s: %w", s.path, err)
	}
	s.commits.Add(1)
	return t.publish, nil
}

// note keeps in mind how a transaction ended.
func (s *Store) note(t *txn, written bool, err error) {
	if err == nil && !written {
		return
	}
	// bbolt writes the page that makes a transaction valid before it syncs it.
	// If the sync fails, readers see what may never reach the disk.
	doubt := false
	if err != nil && written && !s.stuck {
		_ = s.view(func(tx *bolt.Tx) error {
			doubt = tx.ID() >= t.id
			return nil
		})
	}
	s.mu.Lock()
	before := s.failure
	s.failure, s.doubt = err, doubt || err != nil && s.doubt
	s.mu.Unlock()
	switch {
	case err != nil && before == nil:
		s.log.Error("the store cannot write", "path", s.path, "err", err)
	case err == nil && before != nil:
		s.log.Info("the store writes again", "path", s.path)
	}
}

// read runs fn on what is durable.
func (s *Store) read(ctx context.Context, fn func(*bolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	doubt := s.doubt
	s.mu.Unlock()
	if doubt {
		if err := s.Health(ctx); err != nil {
			return err
		}
	}
	return s.view(fn)
}

func (s *Store) view(fn func(*bolt.Tx) error) (err error) {
	defer s.rescue(&err, func() {})
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	err = s.db.View(fn)
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return ErrClosed
	}
	return err
}

// rescue turns a panic of bbolt into an error: it panics, or reads memory that
// is not there, when a page is damaged or the disk cannot deliver it.
func (s *Store) rescue(err *error, undo func()) {
	cause := recover()
	if cause == nil {
		return
	}
	stack := debug.Stack()
	s.metrics.panics.Inc()
	*err = fmt.Errorf("data file %s: %w (%v)", s.path, ErrDamaged, cause)
	s.log.Error("panic in the data file", "path", s.path, "panic", cause, "stack", string(stack))
	defer func() {
		if again := recover(); again != nil {
			s.log.Error("panic while taking it back", "path", s.path, "panic", again)
		}
	}()
	undo()
}

// txn is a transaction of the committer.
type txn struct {
	tx      *bolt.Tx
	id      int
	now     time.Time // of the whole transaction
	dirty   bool
	err     error // the first failed change: the transaction is void
	publish []func()
}

func (t *txn) get(bucket, key []byte) []byte { return t.tx.Bucket(bucket).Get(key) }

func (t *txn) put(bucket, key, value []byte) {
	t.dirty = true
	t.fail(t.tx.Bucket(bucket).Put(key, value))
}

func (t *txn) del(bucket, key []byte) {
	t.dirty = true
	t.fail(t.tx.Bucket(bucket).Delete(key))
}

func (t *txn) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// probe changes something of no meaning.
func (t *txn) probe() {
	var n uint64
	if v := t.get(bucketMeta, keyProbe); len(v) == 8 {
		n = binary.BigEndian.Uint64(v)
	}
	t.put(bucketMeta, keyProbe, binary.BigEndian.AppendUint64(nil, n+1))
}
