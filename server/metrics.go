package server

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"oxo/server/wire"
)

type metrics struct {
	connections   prometheus.Gauge
	rooms         prometheus.Gauge
	opened        *prometheus.CounterVec
	closed        *prometheus.CounterVec
	duration      prometheus.Histogram
	rtt           prometheus.Histogram
	reconnects    *prometheus.CounterVec
	received      *prometheus.CounterVec
	receivedBytes prometheus.Counter
	sent          prometheus.Counter
	sentBytes     prometheus.Counter
	errors        *prometheus.CounterVec
	limited       *prometheus.CounterVec
	slow          prometheus.Counter
	moveDuration  prometheus.Histogram
	gaps          *prometheus.CounterVec
	panics        prometheus.Counter
}

var (
	closeLabels = []string{"1000", "1001", "1005", "1006", "1008", "1009", "1012", "1013", "other"}
	// clientMessages has one of each, for the label values.
	clientMessages = []wire.ClientMessage{
		wire.Hello{}, wire.Rename{}, wire.Create{}, wire.Join{}, wire.Watch{}, wire.Unwatch{}, wire.Play{},
		wire.Resign{}, wire.Leave{}, wire.Rematch{}, wire.Claim{}, wire.Seek{}, wire.Cancel{}, wire.Ping{},
	}
)

func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	gauge := func(name, help string) prometheus.Gauge {
		return f.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	counter := func(name, help string) prometheus.Counter {
		return f.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	// labelled makes a counter with one label and all its values at zero.
	labelled := func(name, help, label string, values ...string) *prometheus.CounterVec {
		c := f.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
		for _, v := range values {
			c.WithLabelValues(v)
		}
		return c
	}
	histogram := func(name, help string, buckets ...float64) prometheus.Histogram {
		return f.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
	}
	messages := []string{"bad"}
	for _, m := range clientMessages {
		messages = append(messages, messageLabel(m))
	}
	codes := make([]string, 0, len(wire.Codes()))
	for _, c := range wire.Codes() {
		codes = append(codes, string(c))
	}
	return &metrics{
		connections:   gauge("oxo_connections", "WebSocket connections to this node."),
		rooms:         gauge("oxo_rooms", "Rooms that connections to this node watch."),
		opened:        labelled("oxo_connections_opened_total", "Connections asked for.", "result", "accepted", "limit", "refused", "draining"),
		closed:        labelled("oxo_connections_closed_total", "Connections ended, by close code; 1006: without one.", "code", closeLabels...),
		duration:      histogram("oxo_connection_duration_seconds", "Life of a connection.", 1, 10, 60, 300, 900, 3600, 4*3600, 24*3600),
		rtt:           histogram("oxo_ping_rtt_seconds", "Time from ping to pong.", .001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5),
		reconnects:    labelled("oxo_reconnects_total", "Rooms taken up again by cursor.", "result", "resumed", "reset"),
		received:      labelled("oxo_messages_received_total", "Messages from clients.", "type", messages...),
		receivedBytes: counter("oxo_received_bytes_total", "Bytes of messages from clients."),
		sent:          counter("oxo_messages_sent_total", "Messages to clients."),
		sentBytes:     counter("oxo_sent_bytes_total", "Bytes of messages to clients."),
		errors:        labelled("oxo_errors_answered_total", "Requests answered with an error.", "code", codes...),
		limited:       labelled("oxo_rate_limited_total", "What was refused for coming too fast.", "limit", "message", "connect", "create_room"),
		slow:          counter("oxo_slow_consumer_disconnects_total", "Connections cut because they took nothing."),
		moveDuration: histogram("oxo_move_duration_seconds", "From a move's frame being decoded to its event being stored.",
			.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5),
		gaps:   labelled("oxo_pubsub_gaps_total", "Gaps in the feed of a room, by how they were closed.", "resolution", "refilled", "lost"),
		panics: counter("oxo_request_panics_total", "Requests that panicked."),
	}
}

// messageLabel is the message's type in lower case, as on the wire.
func messageLabel(m wire.ClientMessage) string {
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", m), "wire."))
}

func (m *metrics) closedWith(code websocket.StatusCode) {
	label := strconv.Itoa(int(code))
	if code == -1 {
		label = "1006" // it ended without a close frame
	}
	for _, known := range closeLabels {
		if label == known {
			m.closed.WithLabelValues(label).Inc()
			return
		}
	}
	m.closed.WithLabelValues("other").Inc()
}
