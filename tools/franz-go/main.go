// How long does franz-go's sticky balancer take when a worker is added? One topic has as many
// partitions as a pool has streams. It prints the median in milliseconds, and how many moved.
package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const topic = "streams"

// member is one worker with the partitions that it has, as it would report them when it joins.
func member(id int, has []int32, generation int32) kmsg.JoinGroupResponseMember {
	m := kmsg.NewJoinGroupResponseMember()
	m.MemberID = fmt.Sprintf("worker-%05d", id)
	m.ProtocolMetadata = kgo.StickyBalancer().JoinGroupMetadata(
		[]string{topic}, map[string][]int32{topic: has}, generation)
	return m
}

// balance returns the partitions of each worker, and how long the balancer took.
func balance(members []kmsg.JoinGroupResponseMember, partitions int32) (map[string][]int32, time.Duration) {

	balancer, _, err := kgo.StickyBalancer().MemberBalancer(members)
	if err != nil {
		panic(err)
	}
	begin := time.Now()
	plan, err := balancer.(kgo.GroupMemberBalancerOrError).BalanceOrError(map[string]int32{topic: partitions})
	if err != nil {
		panic(err)
	}
	took := time.Since(begin)
	has := make(map[string][]int32, len(members))
	for _, assigned := range plan.IntoSyncAssignment() {
		var read kmsg.ConsumerMemberAssignment
		if err := read.ReadFrom(assigned.MemberAssignment); err != nil {
			panic(err)
		}
		for _, t := range read.Topics {
			has[assigned.MemberID] = t.Partitions
		}
	}
	return has, took
}

func main() {
	streams, _ := strconv.Atoi(os.Args[1])
	workers, _ := strconv.Atoi(os.Args[2])
	runs, _ := strconv.Atoi(os.Args[3])
	before := make([]kmsg.JoinGroupResponseMember, workers)
	for id := range before {
		before[id] = member(id, nil, 0)
	}
	had, _ := balance(before, int32(streams))
	now := make([]kmsg.JoinGroupResponseMember, workers+1)
	for id := range now {
		now[id] = member(id, had[fmt.Sprintf("worker-%05d", id)], 1)
	}
	times := make([]time.Duration, runs)
	kept := 0
	for run := range times {
		var has map[string][]int32
		has, times[run] = balance(now, int32(streams))
		kept = 0
		for id, partitions := range has {
			mine := make(map[int32]bool, len(had[id]))
			for _, p := range had[id] {
				mine[p] = true
			}
			for _, p := range partitions {
				if mine[p] {
					kept++
				}
			}
		}
	}
	slices.Sort(times)
	fmt.Printf("{\"ms\": %.3f, \"moved\": %d}\n",
		float64(times[runs/2].Microseconds())/1000, streams-kept)
}
