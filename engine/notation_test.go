package engine

import (
	"strings"
	"testing"
)

func TestParseVariant(t *testing.T) {
	for s, want := range map[string]Variant{
		"3x3/3":       Classic,
		"15x15/5":     Gomoku,
		"inf/5":       Unlimited,
		"3x3x3/3":     Cube,
		"4x4x4/4":     Qubic,
		"15x15/5=":    {Width: 15, Height: 15, K: 5, Exact: true},
		"3x3/3m":      {Width: 3, Height: 3, K: 3, Misere: true},
		"15x15/5=m":   {Width: 15, Height: 15, K: 5, Exact: true, Misere: true},
		"26x3/8":      {Width: 26, Height: 3, K: 8},
		"3x26/8":      {Width: 3, Height: 26, K: 8},
		"26x26x5/8=m": {Width: 26, Height: 26, Depth: 5, K: 8, Exact: true, Misere: true},
		"3x3x5/5":     {Width: 3, Height: 3, Depth: 5, K: 5}, // the longest side may be the third
		"inf/8=m":     {K: 8, Exact: true, Misere: true},
	} {
		got, err := ParseVariant(s)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", s, got, err)
		}
		if got.String() != s {
			t.Errorf("%q is written %q", s, got)
		}
	}
	for _, s := range []string{
		"", "/", "3x3", "3x3/", "/3", "3/3", "3x/3", "x3/3", "3x3x/3", "3x3x3x3/3", "3x3/3/3",
		"3X3/3", "3*3/3", "3×3/3", " 3x3/3", "3x3/3 ", "3x3/3m=", "3x3/3==", "3x3/3mm", "3x3/m", "3x3/=",
		"+3x3/3", "03x3/3", "3x3/03", "3.0x3/3", "-3x3/3", "3x3/-3", "0x0/5", "0x3/3", "3x3x0/3", "٣x٣/٣", "3x3/3\n", "3x3/3\x00",
		"INF/5", "inf", "inf/", "infx3/5", "infinite/5",
		"2x3/3", "3x2/3", "27x3/3", "3x27/3", "999x999/5", "1000x3/3", "99999999999999999999x3/3",
		"3x3x1/3", "3x3x6/3", "3x3/2", "3x3/9", "9x9/9", "26x26/9", "3x3/4", "3x3x4/5", "inf/2", "inf/9", "3x3/0",
		strings.Repeat("3x", 5000) + "3/3", "\xff\xfe",
	} {
		v, err := ParseVariant(s)
		wantCode(t, s, err, CodeBadVariant)
		if v != (Variant{}) {
			t.Errorf("%q: %+v comes with the error", s, v)
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("%q: the sentence has %d bytes", s, len(err.Error()))
		}
	}
}

func TestValidateLiterals(t *testing.T) {
	for _, v := range []Variant{
		{}, {Width: 3, K: 3}, {Height: 3, K: 3}, {Depth: 3, K: 3}, {Width: 3, Height: 3, Depth: 1, K: 3},
		{Width: 3, Height: 3, Depth: -1, K: 3}, {Width: -3, Height: -3, K: 3}, {Width: 3, Height: 3, K: -3},
	} {
		wantCode(t, v.String(), v.Validate(), CodeBadVariant)
	}
}

func TestCellNotation(t *testing.T) {
	for _, c := range []struct {
		variant, text string
		cell          Cell
	}{
		{"15x15/5", "h8", at(7, 7)},
		{"15x15/5", "a1", at(0, 14)}, // rows from the bottom
		{"15x15/5", "a15", at(0, 0)},
		{"15x15/5", "o1", at(14, 14)},
		{"3x3/3", "c3", at(2, 0)},
		{"26x26/5", "z26", at(25, 0)},
		{"5x3/3", "e1", at(4, 2)},
		{"4x4x4/4", "2:b3", Cell{1, 1, 1}},
		{"4x4x4/4", "1:a4", Cell{0, 0, 0}},
		{"26x26x5/5", "5:z1", Cell{25, 25, 4}},
		{"inf/5", "0,0", at(0, 0)},
		{"inf/5", "-3,12", at(-3, 12)},
		{"inf/5", "1000000,-1000000", at(1e6, -1e6)},
	} {
		v := mustVariant(t, c.variant)
		got, err := v.ParseCell(c.text)
		if err != nil || got != c.cell {
			t.Errorf("%s %q: %v, %v", c.variant, c.text, got, err)
		}
		if text := v.Format(c.cell); text != c.text {
			t.Errorf("%s %v: written %q, want %q", c.variant, c.cell, text, c.text)
		}
		if got, err := v.ParseCell(strings.ToUpper(c.text)); err != nil || got != c.cell {
			t.Errorf("%s %q in capitals: %v, %v", c.variant, c.text, got, err)
		}
	}
}

func TestBadCells(t *testing.T) {
	for variant, cells := range map[string]map[Code][]string{
		"15x15/5": {
			CodeBadCell: {
				"", "h", "8", "8h", "h08", "h0", "h-1", "h+8", "h 8", " h8", "h8 ", "hh8", "7,7", "1:h8", "h8h", "é8", "h８", "@8", "[8", "{8", "h1000", "\x00",
				strings.Repeat("h", 1000),
			},
			CodeOutOfBounds: {"p1", "z15", "a16", "h999"},
		},
		"3x3x3/3": {
			CodeBadCell:     {"", "b3", ":b3", "2:", "2:3b", "0:b3", "-1:b3", "2 :b3", "2:b3:1", "1,1", "1,1,1", "02:b3"},
			CodeOutOfBounds: {"4:b3", "2:d3", "2:b4", "999:a1"},
		},
		"inf/5": {
			CodeBadCell: {
				"", ",", "0", "0,", ",0", "0,0,0", "0, 0", " 0,0", "0,0 ", "+1,0", "01,0", "-0,0", "1.0,0", "1e3,0", "h8", "0x1,0", "1_000,0",
				"2147483648,0", "0,-2147483649", "99999999999999999999,0", "٣,٣",
			},
			CodeOutOfBounds: {"1000001,0", "0,-1000001", "2147483647,2147483647", "-2147483648,0"},
		},
	} {
		v := mustVariant(t, variant)
		for code, texts := range cells {
			for _, text := range texts {
				c, err := v.ParseCell(text)
				wantCode(t, variant+" "+text, err, code)
				if c != (Cell{}) {
					t.Errorf("%s %q: %v comes with the error", variant, text, c)
				}
				if err != nil && len(err.Error()) > 300 {
					t.Errorf("%s %q: the sentence has %d bytes", variant, text, len(err.Error()))
				}
			}
		}
	}
}

func TestIndexAndCellAt(t *testing.T) {
	for _, name := range []string{"3x3/3", "5x4/4", "26x3/8", "3x4x5/3"} {
		v := mustVariant(t, name)
		var last Cell
		for i := range v.Cells() {
			c := v.CellAt(i)
			if !v.Contains(c) || v.Index(c) != i {
				t.Errorf("%s: cell %d is %v, whose index is %d", name, i, c, v.Index(c))
			}
			if i > 0 && last.compare(c) >= 0 {
				t.Errorf("%s: %v is read after %v", name, c, last)
			}
			last = c
		}
	}
}

func FuzzParseVariant(f *testing.F) {
	for _, s := range []string{"3x3/3", "15x15/5=", "3x3/3m", "26x26x5/8=m", "inf/5", "inf/5=m", "03x3/3", "3x3/", "2x2/3", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := ParseVariant(s)
		if err != nil {
			wantCode(t, s, err, CodeBadVariant)
			return
		}
		if v.Validate() != nil || v.String() != s {
			t.Errorf("%q is %+v, written %q", s, v, v)
		}
	})
}

func FuzzParseCell(f *testing.F) {
	for _, v := range []string{"3x3/3", "26x26/5", "4x4x4/4", "inf/5"} {
		for _, c := range []string{"a1", "H8", "z26", "2:b3", "5:Z1", "0,0", "-1000000,1000000", "01,0", ":", ","} {
			f.Add(v, c)
		}
	}
	f.Fuzz(func(t *testing.T, variant, cell string) {
		v, err := ParseVariant(variant)
		if err != nil {
			return
		}
		c, err := v.ParseCell(cell)
		if err != nil {
			if code := err.(*Error).Code; code != CodeBadCell && code != CodeOutOfBounds {
				t.Errorf("%s %q: %v", v, cell, err)
			}
			return
		}
		if !v.Contains(c) || v.Format(c) != strings.ToLower(cell) {
			t.Errorf("%s %q is %v, written %q", v, cell, c, v.Format(c))
		}
	})
}
