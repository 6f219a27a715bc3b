// Package eviction stands in for k8s.io/kubernetes/pkg/kubelet/eviction where the controller
// manager is built: its pod garbage collector asks that package for this one function, and
// nothing else of it. See src/playground/binaries/go-flags.ts.
package eviction

import v1 "k8s.io/api/core/v1"

// Reason is what the kubelet writes into the status of a pod that it has evicted.
const Reason = "Evicted"

// PodIsEvicted tells whether the kubelet has evicted the pod of this status.
func PodIsEvicted(podStatus v1.PodStatus) bool {
	return podStatus.Phase == v1.PodFailed && podStatus.Reason == Reason
}
