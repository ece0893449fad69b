package endpoint

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// maxLine bounds one message over stdio in bytes, like the body of one over HTTP.
	maxLine = 4 << 20
	// lineBuffer is how much is read at once, in bytes.
	lineBuffer = 64 << 10
)

// judgedLines is an input of one message a line without the lines that [ReadMessage] refuses: those are answered here,
// because the SDK ends the connection over a message that it cannot read.
type judgedLines struct {
	in       io.ReadCloser
	buffered *bufio.Reader
	answers  io.Writer // takes a whole line in one Write
	closed   atomic.Bool

	// One goroutine reads, so these need no lock.
	pending []byte // what is left to read of a good line
	ended   error  // why there are no more lines
}

func newJudgedLines(in io.ReadCloser, answers io.Writer) *judgedLines {
	return &judgedLines{in: in, buffered: bufio.NewReaderSize(in, lineBuffer), answers: answers}
}

// Read implements [io.Reader].
func (l *judgedLines) Read(p []byte) (int, error) {
	for len(l.pending) == 0 {
		if l.ended != nil {
			return 0, l.ended
		}
		if err := l.next(); err != nil {
			l.ended = err
		}
	}
	n := copy(p, l.pending)
	l.pending = l.pending[n:]
	return n, nil
}

// Close implements [io.Closer]. A Read that works through lines ends, one that waits for input does if closing it says so.
func (l *judgedLines) Close() error {
	l.closed.Store(true)
	return l.in.Close()
}

// next reads one line, which becomes pending, is answered with a refusal or, if it is empty, ignored. The error says why
// there is no line after it.
func (l *judgedLines) next() error {
	line, tooLong, end := l.line()
	if end != nil && !errors.Is(end, io.EOF) {
		return end
	}
	var refusal *Refusal
	line = bytes.Trim(line, " \t\r\n")
	switch {
	case tooLong || len(line) > maxLine:
		refusal = &Refusal{Code: codeInvalidRequest, Message: "the message is over the limit of 4 MiB: send less at a time"}
	case len(line) == 0:
		return end
	default:
		refusal = judge(line)
	}
	if refusal == nil {
		l.pending = append(line, '\n')
		return end
	}
	if _, err := l.answers.Write(refusal.line()); err != nil {
		return err
	}
	return end
}

// line reads up to a line break or the end of the input. A line that is too long is read to its end and not kept.
func (l *judgedLines) line() (line []byte, tooLong bool, err error) {
	for {
		if l.closed.Load() {
			return nil, false, io.ErrClosedPipe
		}
		part, err := l.buffered.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine+len("\r\n"); tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// judge is why a line is not given to the SDK, nil if it is.
func judge(line []byte) *Refusal {
	m, refusal := ReadMessage(line)
	if refusal != nil {
		return refusal
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return &Refusal{Code: codeInvalidRequest, ID: m.ID, Message: notJSONRPC}
	}
	return nil
}

// wholeLines lets two writers of whole lines take turns. Its Close waits for neither, so that it can end a Write.
type wholeLines struct {
	mu sync.Mutex
	io.WriteCloser
}

// Write implements [io.Writer].
func (w *wholeLines) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.WriteCloser.Write(p)
}
