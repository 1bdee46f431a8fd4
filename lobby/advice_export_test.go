package lobby

import (
	"context"

	"oxo/engine"
)

// What the tests of advice need to know.
const (
	AdviceTime = adviceTime
	AdviceWait = adviceWait
)

// HintBy has another mind give the hints.
func (s *Service) HintBy(mind func(context.Context, engine.Position) (engine.Cell, error)) {
	s.advice.hint = mind
}
