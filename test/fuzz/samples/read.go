// Reads each assignment of standard input with the reader of samples/workers/go, which is compiled with it; a line of JSON for each.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
)

// Pairs instead of an object: V8 misreads escaped keys of JSON (nodejs/node#63785).
func pairs[T any](values map[string]T, read func(T) any) [][]any {
	list := [][]any{}
	for key, value := range values {
		list = append(list, []any{key, read(value)})
	}
	slices.SortFunc(list, func(a, b []any) int {
		if a[0].(string) < b[0].(string) {
			return -1
		}
		return 1
	})
	return list
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for {
		line, end := lines.ReadBytes('\n')
		var asked struct{ Text, Worker, Annotation string }
		if json.Unmarshal(line, &asked) == nil {
			mine, _, err := mySlice(asked.Text, asked.Worker)
			if err != nil {
				answers.Encode(map[string]any{"error": err.Error()})
			} else {
				parameters := pairs(mine.parameters, func(its map[string]string) any { return pairs(its, func(text string) any { return text }) })
				answers.Encode(map[string]any{"jobs": append([]string{}, mine.jobs...), "parameters": parameters, "version": mine.version, "isPermitted": isPermitted(mine, []byte(asked.Annotation), "u")})
			}
		}
		if end != nil {
			return
		}
	}
}
