// Command bench measures what the plugin bridge promises about speed and memory: round trips, the bridge's own time, the
// cost of large arguments, and the memory that hostile answers can take.
//
// It runs the product as it ships, Caddy with its standard modules and this project's, as a process of its own, between
// an upstream process that stands in for NetBox and answers as late as it is told, and the load generator, which is the
// process that was started. Each scenario has a fresh upstream and a fresh server. A figure is the median of at least five
// rounds and comes with the lowest and the highest of them; a spread over 15 % is called inconclusive. A target is met when
// every round meets it and missed when every round misses it; the program then exits with status 1.
//
// It guarantees that a call which did not do what its scenario is about is an error and never a figure: answers are read,
// and the requests that reached the upstream are counted. It does not find out what else the machine was doing; it
// prints the load and the number of processors, and all processes share them.
package main
