module k8slab.info/samples/worker

go 1.22
