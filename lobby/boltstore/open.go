package boltstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// maxSecondCheck is the size in bytes up to which bbolt's own check runs too:
// it takes some milliseconds a megabyte.
const maxSecondCheck = 8 << 20

// openFile checks the file and opens it for writing.
func openFile(cfg Config) (*bolt.DB, error) {
	fresh, err := prepare(cfg.Path)
	if err != nil {
		return nil, err
	}
	if !fresh {
		if err := inspect(cfg); err != nil {
			return nil, err
		}
	}
	db, err := openBolt(cfg, false)
	if err != nil {
		return nil, err
	}
	if err := initialise(db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if fresh {
		// Without this a power failure may take the whole file away.
		if err := syncDir(filepath.Dir(cfg.Path)); err != nil {
			return nil, errors.Join(fmt.Errorf("%w: %w", ErrUnwritable, err), db.Close())
		}
	}
	return db, nil
}

// prepare makes the directory and tells whether there is no data yet.
func prepare(path string) (fresh bool, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("%w: %w", ErrUnwritable, err)
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("%w: it is not a regular file", ErrUnwritable)
	}
	return info.Size() == 0, nil
}

// inspect looks at a file without changing it. bbolt trusts what it reads: on
// a damaged page it panics, or touches memory out of bounds. So the pages are
// checked before it gets to see them, under its shared lock.
func inspect(cfg Config) error {
	db, err := openBolt(cfg, true)
	if err != nil {
		return err
	}
	err = inspectLocked(cfg, db)
	return errors.Join(err, db.Close())
}

func inspectLocked(cfg Config, db *bolt.DB) error {
	file, err := os.Open(cfg.Path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	defer file.Close() // read only: nothing is lost if it fails
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	oneMeta, err := checkPages(file, info.Size())
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if oneMeta {
		cfg.Log.Warn("one of the two root pages of the data file is damaged: what was written last may be missing", "path", cfg.Path)
	}
	return db.View(func(tx *bolt.Tx) error {
		if info.Size() <= maxSecondCheck {
			var first error
			for err := range tx.Check() { // to its end: it would block otherwise
				if first == nil {
					first = fmt.Errorf("%w: %w", ErrDamaged, err)
				}
			}
			if first != nil {
				return first
			}
		}
		return checkSchema(tx)
	})
}

// openBolt opens the file and says in our words why not.
func openBolt(cfg Config, readOnly bool) (db *bolt.DB, err error) {
	var file *os.File
	defer func() {
		if cause := recover(); cause != nil {
			cfg.Log.Error("panic in the data file", "path", cfg.Path, "panic", cause, "stack", string(debug.Stack()))
			db, err = nil, fmt.Errorf("%w: %v", ErrDamaged, cause)
			if file != nil {
				_ = file.Close() // so that the lock goes; the first error says enough
			}
		}
	}()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	db, err = bolt.Open(cfg.Path, 0o600, &bolt.Options{
		Timeout:      cfg.LockTimeout,
		FreelistType: bolt.FreelistMapType,
		ReadOnly:     readOnly,
		NoStatistics: true,
		OpenFile: func(path string, flag int, mode os.FileMode) (*os.File, error) {
			var err error
			file, err = os.OpenFile(path, flag, mode)
			return file, err
		},
	})
	var path *os.PathError
	switch {
	case err == nil:
		return db, nil
	case errors.Is(err, berrors.ErrTimeout):
		return nil, ErrLocked
	case errors.As(err, &path):
		return nil, fmt.Errorf("%w: %w", ErrUnwritable, path.Err)
	case readOnly:
		// What is left reads the root pages.
		return nil, fmt.Errorf("%w, or no data file: %w", ErrDamaged, err)
	default:
		return nil, fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
}

// checkSchema tells whether this release can use a file. A file without any
// bucket is one whose first transaction was never written. Nothing but buckets
// can be written at the top, so whatever else stands there is damage.
func checkSchema(tx *bolt.Tx) error {
	top := tx.Cursor()
	first, value := top.First()
	if first == nil {
		return nil
	}
	for key := first; key != nil; key, value = top.Next() {
		if value != nil {
			return fmt.Errorf("%w: %q is no bucket", ErrDamaged, key)
		}
	}
	meta := tx.Bucket(bucketMeta)
	if meta == nil {
		return fmt.Errorf("%w: another program wrote it", ErrSchema)
	}
	version := meta.Get(keySchema)
	if len(version) != 4 {
		return fmt.Errorf("%w: another program wrote it", ErrSchema)
	}
	if n := binary.BigEndian.Uint32(version); n != schema {
		return fmt.Errorf("%w: it has number %d, this release reads %d", ErrSchema, n, schema)
	}
	for _, name := range firstBuckets() {
		if tx.Bucket(name) == nil {
			return fmt.Errorf("%w: it has no bucket %q", ErrDamaged, name)
		}
	}
	return nil
}

// initialise makes the buckets that a file lacks: all of a new one. Another
// process may have done so since prepare looked, so what is there is checked.
func initialise(db *bolt.DB) error {
	var missing [][]byte
	err := db.View(func(tx *bolt.Tx) error {
		for _, name := range buckets() {
			if tx.Bucket(name) == nil {
				missing = append(missing, name)
			}
		}
		return checkSchema(tx)
	})
	if err != nil || len(missing) == 0 {
		return err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		for _, name := range missing {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return tx.Bucket(bucketMeta).Put(keySchema, binary.BigEndian.AppendUint32(nil, schema))
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	return nil
}

func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil // a directory cannot be synced there
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
