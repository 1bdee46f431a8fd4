package lobby

import (
	"oxo/engine"
	"oxo/engine/bot"
)

// What the tests need to know.
const (
	AnswerTime = answerTime
	HangTime   = hangTime
	LateCreate = lateCreate
	Attempts   = attempts
	QueuedJobs = queuedJobs
	DueBatch   = dueBatch
)

// NewWithMinds is New with computers of the test's choice.
func NewWithMinds(cfg Config, minds func(bot.Level, engine.Variant, uint64) (bot.Bot, error)) *Service {
	return newService(cfg, minds)
}

// LevelLabel is the label of a level in metrics.
func LevelLabel(level string) string { return levelLabel(level) }
