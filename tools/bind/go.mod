module bind

go 1.26
