package main

import (
	"bufio"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// memory is what a process uses, in bytes. A resident figure is 0 where the system does not tell it.
type memory struct {
	// Go is the heap in use, garbage and half-empty spans included, and the stacks of goroutines.
	Go uint64
	// Resident is the process's resident memory, and PeakResident the most it ever had.
	Resident, PeakResident uint64
	// Samples is how many times a peak was looked at; 1 for a moment's figures.
	Samples int
}

// memoryNames are the parts of memory.Go in package runtime/metrics.
func memoryNames() []metrics.Sample {
	return []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"},
	}
}

func readGo(samples []metrics.Sample) (sum uint64) {
	metrics.Read(samples)
	for _, s := range samples {
		sum += s.Value.Uint64()
	}
	return sum
}

// idleMemory collects garbage and returns what is left.
func idleMemory() memory {
	// The second collection frees what finalizers and pools kept over the first one.
	runtime.GC()
	runtime.GC()
	m := memory{Go: readGo(memoryNames()), Samples: 1}
	m.Resident, m.PeakResident = resident()
	return m
}

// sampleTime is how often memory is looked at while it is watched.
const sampleTime = time.Millisecond

// watchMemory looks at memory until the returned function is called, which returns the peak. What rises and falls between
// two looks is missed; what the heap holds rises in far longer steps.
func watchMemory() (stop func() memory) {
	end, result := make(chan struct{}), make(chan memory)
	go func() {
		samples := memoryNames()
		tick := time.NewTicker(sampleTime)
		defer tick.Stop()
		var peak memory
		for ended := false; ; {
			peak.Go = max(peak.Go, readGo(samples))
			peak.Samples++
			if ended {
				peak.Resident, peak.PeakResident = resident()
				result <- peak
				return
			}
			select {
			case <-tick.C:
			case <-end:
				ended = true // one more look
			}
		}
	}()
	return func() memory {
		close(end)
		return <-result
	}
}

// resident reads the resident memory of this process and its peak, in bytes, as Linux tells them.
func resident() (now, peak uint64) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		number, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			continue
		}
		switch name {
		case "VmRSS":
			now = number << 10
		case "VmHWM":
			peak = number << 10
		}
	}
	return now, peak
}
