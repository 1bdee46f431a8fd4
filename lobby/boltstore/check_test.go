package boltstore

import (
	"bytes"
	"os"
	"testing"
)

// TestCheckPages damages a file by hand, where chance seldom strikes. Larger
// files have no other check.
func TestCheckPages(t *testing.T) {
	sm := getSample(t)
	m, _, err := findMeta(bytes.NewReader(sm.file), int64(len(sm.file)))
	if err != nil {
		t.Fatal(err)
	}
	if int(m.pageSize) != os.Getpagesize() {
		t.Errorf("pages of %d bytes", m.pageSize)
	}
	page := func(b []byte, id uint64) []byte { return b[id*m.pageSize : (id+1)*m.pageSize] }
	used := &checker{bytes.NewReader(sm.file), m, make([]bool, m.end)}
	if err := used.tree(m.root, nil, nil, maxDepth); err != nil {
		t.Fatal(err)
	}
	// A branch page that is in use, and the leaf that is its first child.
	var branch, leaf uint64
	for id := uint64(2); id < m.end && branch == 0; id++ {
		b := page(sm.file, id)
		if used.seen[id] && order.Uint16(b[8:]) == flagBranch && order.Uint16(b[10:]) > 1 {
			branch, leaf = id, order.Uint64(b[pageHeader+8:])
		}
	}
	if branch == 0 || order.Uint16(page(sm.file, m.freelist)[10:]) == 0 {
		t.Fatal("the sample is too small")
	}
	for name, damage := range map[string]func(b []byte){
		"nothing":               func([]byte) {},
		"a used page is free":   func(b []byte) { order.PutUint64(page(b, m.freelist)[pageHeader:], m.root) },
		"a root page is free":   func(b []byte) { order.PutUint64(page(b, m.freelist)[pageHeader:], 1) },
		"a page free from afar": func(b []byte) { order.PutUint64(page(b, m.freelist)[pageHeader:], m.end) },
		"too many free":         func(b []byte) { order.PutUint16(page(b, m.freelist)[10:], 0xFFFE) },
		"no list of free pages": func(b []byte) { order.PutUint16(page(b, m.freelist)[8:], flagLeaf) },
		"a branch of itself":    func(b []byte) { order.PutUint64(page(b, branch)[pageHeader+8:], branch) },
		"a child from afar":     func(b []byte) { order.PutUint64(page(b, branch)[pageHeader+8:], m.end) },
		"the same child twice":  func(b []byte) { order.PutUint64(page(b, branch)[pageHeader+elementSize+8:], leaf) },
		"another page's number": func(b []byte) { order.PutUint64(page(b, leaf), branch) },
		"overflow into others":  func(b []byte) { order.PutUint32(page(b, m.root)[12:], 3) },
		"overflow out of file":  func(b []byte) { order.PutUint32(page(b, leaf)[12:], 1<<31) },
		"neither kind of page":  func(b []byte) { order.PutUint16(page(b, leaf)[8:], flagBranch|flagLeaf) },
		"too many elements":     func(b []byte) { order.PutUint16(page(b, leaf)[10:], 0xFFFF) },
		"an empty branch":       func(b []byte) { order.PutUint16(page(b, branch)[10:], 0) },
		"a key out of the page": func(b []byte) { order.PutUint32(page(b, leaf)[pageHeader+8:], 1<<30) },
		"a place out of it":     func(b []byte) { order.PutUint32(page(b, leaf)[pageHeader+4:], ^uint32(0)) },
		"keys out of order": func(b []byte) {
			p := page(b, leaf)[pageHeader:]
			pos := order.Uint32(p[4:])
			p[pos], p[pos+1] = 0xFF, 0xFF
		},
	} {
		b := bytes.Clone(sm.file)
		damage(b)
		_, err := checkPages(bytes.NewReader(b), int64(len(b)))
		t.Logf("%s: %v", name, err)
		if (err == nil) != (name == "nothing") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
