package lobby

import "oxo/engine"

// Preset is a board that is offered by name.
type Preset struct {
	Name    string
	Variant engine.Variant
	Levels  []string // of the computers that play on it, the weakest first
}

// Presets returns the boards that are offered by name.
func (s *Service) Presets() []Preset {
	presets := []Preset{
		{Name: "classic", Variant: engine.Classic},
		{Name: "four", Variant: engine.Variant{Width: 4, Height: 4, K: 3}},
		{Name: "five", Variant: engine.Variant{Width: 5, Height: 5, K: 4}},
		{Name: "six", Variant: engine.Variant{Width: 6, Height: 6, K: 4}},
		{Name: "ten", Variant: engine.Variant{Width: 10, Height: 10, K: 5}},
		{Name: "gomoku", Variant: engine.Gomoku},
		{Name: "gomoku-19", Variant: engine.Variant{Width: 19, Height: 19, K: 5}},
		{Name: "unbounded", Variant: engine.Unlimited},
		{Name: "cube", Variant: engine.Cube},
		{Name: "qubic", Variant: engine.Qubic},
	}
	for i := range presets {
		presets[i].Levels = s.roster.Levels(presets[i].Variant)
	}
	return presets
}
