package boltstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// The format of bbolt's file, version 2, as its package internal/common writes
// it in the byte order of the machine.
const (
	boltMagic   = 0xED0CDAED
	boltVersion = 2

	flagBranch   = 0x01
	flagLeaf     = 0x02
	flagFreelist = 0x10
	flagBucket   = 0x01 // of an element of a leaf

	pageHeader  = 16 // id 8, flags 2, count 2, overflow 4
	elementSize = 16 // branch: pos 4, ksize 4, page 8; leaf: flags, pos, ksize, vsize
	bucketSize  = 16 // root page 8, sequence 8
	metaSize    = 64

	minPage, maxPage = 1 << 10, 1 << 16
	maxDepth         = 64
	noFreelist       = ^uint64(0)
)

// order is the byte order of the machine.
var order = binary.NativeEndian

// meta is one of the two root pages.
type meta struct {
	pageSize, root, freelist, end, txid uint64
}

func parseMeta(b []byte) (meta, error) {
	if len(b) < pageHeader+metaSize {
		return meta{}, io.ErrUnexpectedEOF
	}
	b = b[pageHeader:]
	sum := fnv.New64a()
	_, _ = sum.Write(b[:metaSize-8]) // a hash's Write returns no error
	switch {
	case order.Uint32(b) != boltMagic:
		return meta{}, errors.New("a root page has no mark of bbolt")
	case order.Uint32(b[4:]) != boltVersion:
		return meta{}, fmt.Errorf("bbolt's format is %d", order.Uint32(b[4:]))
	case order.Uint64(b[56:]) != sum.Sum64():
		return meta{}, errors.New("a root page has a wrong checksum")
	}
	m := meta{uint64(order.Uint32(b[8:])), order.Uint64(b[16:]), order.Uint64(b[32:]), order.Uint64(b[40:]), order.Uint64(b[48:])}
	if m.pageSize < minPage || m.pageSize > maxPage || m.pageSize&(m.pageSize-1) != 0 {
		return meta{}, fmt.Errorf("pages of %d bytes", m.pageSize)
	}
	return m, nil
}

// checker walks the pages of a bbolt file that can be reached.
type checker struct {
	file io.ReaderAt
	meta
	seen []bool // by page
}

// checkPages makes sure that every page is where bbolt will look for it, that
// no reference leaves its page or the file, that keys are in order, and that
// no page is used twice or free and used. It reads every page in use once. It
// reports whether one of the two root pages is unusable, which a crash while
// it was written explains, but a damaged disk as well.
func checkPages(file io.ReaderAt, size int64) (oneMeta bool, err error) {
	m, oneMeta, err := findMeta(file, size)
	if err != nil {
		return false, err
	}
	if m.end < 4 || m.end > uint64(size)/m.pageSize {
		return oneMeta, fmt.Errorf("it has %d bytes and should have %d pages of %d", size, m.end, m.pageSize)
	}
	c := &checker{file, m, make([]bool, m.end)}
	c.seen[0], c.seen[1] = true, true
	if err := c.tree(m.root, nil, nil, maxDepth); err != nil {
		return oneMeta, err
	}
	if m.freelist != noFreelist {
		return oneMeta, c.free()
	}
	return oneMeta, nil
}

// findMeta returns the root page that bbolt will take: of those that are
// valid, that of the later transaction. The second one starts where the size
// of a page says, which is looked for if the first does not tell.
func findMeta(file io.ReaderAt, size int64) (m meta, oneMeta bool, err error) {
	read := func(at int64) (meta, error) {
		b := make([]byte, pageHeader+metaSize)
		if _, err := file.ReadAt(b, at); err != nil {
			return meta{}, err
		}
		return parseMeta(b)
	}
	first, errFirst := read(0)
	if errFirst == nil {
		second, err := read(int64(first.pageSize))
		if err != nil || second.pageSize != first.pageSize {
			return first, true, nil
		}
		if second.txid > first.txid {
			return second, false, nil
		}
		return first, false, nil
	}
	for at := int64(minPage); at <= maxPage && at < size; at *= 2 {
		if m, err := read(at); err == nil && int64(m.pageSize) == at {
			return m, true, nil
		}
	}
	return meta{}, false, errFirst
}

// page reads a page with its overflow and takes note of it.
func (c *checker) page(id uint64) ([]byte, error) {
	if id < 2 || id >= c.end {
		return nil, fmt.Errorf("page %d is out of bounds", id)
	}
	b := make([]byte, c.pageSize)
	at := int64(id * c.pageSize)
	if _, err := c.file.ReadAt(b, at); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	if self := order.Uint64(b); self != id {
		return nil, fmt.Errorf("page %d says that it is %d", id, self)
	}
	overflow := uint64(order.Uint32(b[12:]))
	if overflow >= c.end-id {
		return nil, fmt.Errorf("page %d is too long", id)
	}
	for i := id; i <= id+overflow; i++ {
		if c.seen[i] {
			return nil, fmt.Errorf("page %d is used twice", i)
		}
		c.seen[i] = true
	}
	if overflow > 0 {
		b = append(b, make([]byte, overflow*c.pageSize)...)
		if _, err := c.file.ReadAt(b, at); err != nil {
			return nil, fmt.Errorf("page %d: %w", id, err)
		}
	}
	return b, nil
}

// tree checks a page and what is below it. Its keys are from low (nil: none)
// to below high (nil: none).
func (c *checker) tree(id uint64, low, high []byte, depth int) error {
	if depth == 0 {
		return errors.New("its pages go too deep")
	}
	b, err := c.page(id)
	if err != nil {
		return err
	}
	if err := c.elements(b, low, high, depth); err != nil {
		return fmt.Errorf("page %d: %w", id, err)
	}
	return nil
}

// elements checks the elements of a branch or leaf page, which may be inside
// a bucket's value.
func (c *checker) elements(b, low, high []byte, depth int) error {
	flags, count := order.Uint16(b[8:]), int(order.Uint16(b[10:]))
	if flags != flagBranch && flags != flagLeaf {
		return fmt.Errorf("it is neither branch nor leaf: %#x", flags)
	}
	if pageHeader+count*elementSize > len(b) {
		return fmt.Errorf("%d elements do not fit", count)
	}
	if flags == flagBranch && count == 0 {
		return errors.New("a branch without elements")
	}
	keys := make([][]byte, count)
	for i := range count {
		at := pageHeader + i*elementSize
		e := b[at : at+elementSize]
		pos, ksize, vsize := order.Uint32(e), order.Uint32(e[4:]), uint32(0)
		if flags == flagLeaf {
			pos, ksize, vsize = order.Uint32(e[4:]), order.Uint32(e[8:]), order.Uint32(e[12:])
		}
		start := uint64(at) + uint64(pos)
		if start+uint64(ksize)+uint64(vsize) > uint64(len(b)) {
			return fmt.Errorf("element %d leaves the page", i)
		}
		keys[i] = b[start : start+uint64(ksize)]
		outside := i == 0 && bytes.Compare(keys[i], low) < 0 || high != nil && bytes.Compare(keys[i], high) >= 0
		if outside || i > 0 && bytes.Compare(keys[i], keys[i-1]) <= 0 {
			return fmt.Errorf("key %d is out of order", i)
		}
		if flags == flagLeaf && order.Uint32(e)&flagBucket != 0 {
			if err := c.bucket(b[start+uint64(ksize):][:vsize], depth); err != nil {
				return err
			}
		}
	}
	if flags == flagLeaf {
		return nil
	}
	for i, key := range keys {
		next := high
		if i+1 < count {
			next = keys[i+1]
		}
		child := order.Uint64(b[pageHeader+i*elementSize+8:])
		if err := c.tree(child, key, next, depth-1); err != nil {
			return err
		}
	}
	return nil
}

// bucket checks a bucket by its value: the page of its root, or, if that is 0,
// the page itself after it.
func (c *checker) bucket(value []byte, depth int) error {
	if len(value) < bucketSize {
		return errors.New("a bucket is too short")
	}
	if root := order.Uint64(value); root != 0 {
		return c.tree(root, nil, nil, depth-1)
	}
	if len(value) < bucketSize+pageHeader {
		return errors.New("a bucket is too short")
	}
	return c.elements(value[bucketSize:], nil, nil, depth-1)
}

// free checks the list of free pages. What is free and used would be
// overwritten.
func (c *checker) free() error {
	b, err := c.page(c.freelist)
	if err != nil {
		return err
	}
	if flags := order.Uint16(b[8:]); flags != flagFreelist {
		return fmt.Errorf("page %d is not the list of free pages: %#x", c.freelist, flags)
	}
	count, ids := uint64(order.Uint16(b[10:])), b[pageHeader:]
	if count == 0xFFFF { // the number is too large for its field and comes first
		count, ids = order.Uint64(ids), ids[8:]
	}
	if count > uint64(len(ids))/8 {
		return fmt.Errorf("%d free pages do not fit in their list", count)
	}
	for i := range count {
		id := order.Uint64(ids[8*i:])
		if id < 2 || id >= c.end || c.seen[id] {
			return fmt.Errorf("page %d cannot be free", id)
		}
		c.seen[id] = true
	}
	return nil
}
