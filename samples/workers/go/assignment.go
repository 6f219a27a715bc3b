// Reads a worker's assignment from the mounted file. Accepts only the YAML that the operator writes; a YAML library works as well.
// Anything else is an error: half an assignment is worse than the last valid one.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

type slice struct {
	jobs        []string
	version     int
	parameters  map[string]map[string]string
	weights     map[string]int
	restarts    map[string]string
	maxRestarts int    // of policy; 0: no bound
	asked       [4]any // jobs, releasing, parameters, weights, as they stand in the file: what its digest is of
}

// A mapping that keeps its order, because the digest is of the text.
type pair struct {
	key   string
	value any
}
type mapping []pair

func (m mapping) get(key string) any {
	for _, p := range m {
		if p.key == key {
			return p.value
		}
	}
	return nil
}

func (m mapping) MarshalJSON() ([]byte, error) {
	parts := make([]string, len(m))
	for i, p := range m {
		parts[i] = compact(p.key) + ":" + compact(p.value)
	}
	return []byte("{" + strings.Join(parts, ",") + "}"), nil
}

// JSON as the operator writes it: escapes only what JSON requires.
func compact(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return ""
	}
	return strings.NewReplacer("\\u2028", "\u2028", "\\u2029", "\u2029").Replace(strings.TrimSuffix(text.String(), "\n"))
}

// mySlice returns this worker's entry, and the version of the whole file.
func mySlice(text, worker string) (mine slice, version int, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("%v", problem)
		}
	}()
	document, _ := readYaml(text).(mapping)
	if format := document.get("format"); format != nil && format != 1 {
		return mine, 0, errors.New("not of format 1")
	}
	version, _ = document.get("version").(int)
	workloads, isMapping := document.get("workloads").(mapping)
	if version < 1 || !isMapping {
		return mine, 0, errors.New("no version, or no workloads")
	}
	// No entry: the worker was removed, and has no streams from this version on.
	mine = slice{version: version, parameters: map[string]map[string]string{}, weights: map[string]int{}, restarts: map[string]string{}}
	entry, isThere := workloads.get(worker).(mapping)
	if !isThere {
		return mine, version, nil
	}
	list, isList := entry.get("jobs").([]any)
	if !isList {
		return mine, 0, errors.New("my entry has no list of jobs")
	}
	for _, job := range list {
		mine.jobs = append(mine.jobs, fmt.Sprint(job))
	}
	if own, isNumber := entry.get("version").(int); isNumber {
		mine.version = own
	}
	parameters, _ := entry.get("parameters").(mapping)
	for _, stream := range parameters {
		values, _ := stream.value.(mapping)
		mine.parameters[stream.key] = map[string]string{}
		for _, value := range values {
			mine.parameters[stream.key][value.key] = fmt.Sprint(value.value)
		}
	}
	weights, _ := entry.get("weights").(mapping)
	for _, weight := range weights {
		mine.weights[weight.key], _ = weight.value.(int)
	}
	policy, _ := entry.get("policy").(mapping)
	mine.maxRestarts, _ = policy.get("maxRestarts").(int)
	tokens, _ := entry.get("restarts").(mapping)
	for _, token := range tokens {
		mine.restarts[token.key] = fmt.Sprint(token.value)
	}
	mine.asked = [4]any{append([]string{}, mine.jobs...), orElse(entry.get("releasing"), []any{}), orElse(entry.get("parameters"), mapping{}), orElse(entry.get("weights"), mapping{})}
	return mine, version, nil
}

func orElse(value, otherwise any) any {
	if value == nil {
		return otherwise
	}
	return value
}

// isPermitted reports, for handoff Exclusive, whether the annotation names exactly this slice and this pod.
func isPermitted(mine slice, annotation []byte, podUid string) bool {
	var told struct {
		Version int
		Uid     string
		Digest  string
	}
	sum := sha256.Sum256([]byte(compact(mine.asked)))
	return json.Unmarshal(annotation, &told) == nil && told.Uid == podUid && told.Version == mine.version && told.Digest == hex.EncodeToString(sum[:])[:16]
}

// readYaml panics at anything that it does not understand.
func readYaml(text string) any {
	r := reader{lines: strings.Split(strings.TrimRight(text, "\n"), "\n")}
	value := r.block(0)
	if r.at != len(r.lines) {
		panic(fmt.Sprintf("line %d is not understood", r.at+1))
	}
	return value
}

type reader struct {
	lines []string
	at    int
}

func isBlank(line string) bool { return strings.Trim(line, " ") == "" }

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func (r *reader) block(indent int) any {
	var list []any
	var fields mapping
	isList := strings.HasPrefix(strings.TrimLeft(r.lines[r.at], " "), "- ")
	for r.at < len(r.lines) && indentOf(r.lines[r.at]) == indent {
		text := r.lines[r.at][indent:]
		r.at++
		if !isList {
			key, rest := r.pair(indent, text)
			fields = append(fields, pair{key, r.value(indent, rest)})
		} else if item, isItem := strings.CutPrefix(text, "- "); isItem {
			list = append(list, r.value(indent, item))
		} else {
			panic(fmt.Sprintf("line %d is no item of the list", r.at))
		}
	}
	if isList {
		return list
	}
	return fields
}

var quotedKey = regexp.MustCompile(`^('(?:[^']|'')*'|"(?:[^"\\]|\\.)*"):(?: (.*))?$`)

// A key of several lines, or a long one, is on a line of its own after `? `.
func (r *reader) pair(indent int, text string) (key, rest string) {
	key, isAlone := strings.CutPrefix(text, "? ")
	if !isAlone {
		return r.key(text)
	}
	if r.at == len(r.lines) || !strings.HasPrefix(r.lines[r.at], strings.Repeat(" ", indent)+":") {
		panic(fmt.Sprintf("line %d has no value", r.at))
	}
	rest = strings.TrimPrefix(r.lines[r.at][indent+1:], " ")
	r.at++
	if strings.ContainsAny(key[:1], "'\"") {
		key = scalar(key).(string)
	}
	return key, rest
}

func (r *reader) key(text string) (key, rest string) {
	if found := quotedKey.FindStringSubmatch(text); found != nil {
		return scalar(found[1]).(string), found[2]
	}
	if isOdd(text) {
		panic(fmt.Sprintf("line %d is no `key: value`", r.at))
	}
	if key, rest, isPair := strings.Cut(text, ": "); isPair {
		return key, rest
	}
	key, isKey := strings.CutSuffix(text, ":")
	if !isKey {
		panic(fmt.Sprintf("line %d is no `key: value`", r.at))
	}
	return key, ""
}

func (r *reader) value(indent int, text string) any {
	if text == "" {
		if r.at < len(r.lines) && indentOf(r.lines[r.at]) > indent {
			return r.block(indentOf(r.lines[r.at]))
		}
		panic(fmt.Sprintf("line %d has no value", r.at))
	}
	if found := literal.FindStringSubmatch(text); found != nil {
		return r.literal(indent, found[1], found[2])
	}
	return scalar(text)
}

// If a text begins with a space, a digit gives the indentation of its lines.
func (r *reader) literal(indent int, digit, end string) string {
	start, depth := r.at, -1
	for ; r.at < len(r.lines) && (isBlank(r.lines[r.at]) || indentOf(r.lines[r.at]) > indent); r.at++ {
		if here := indentOf(r.lines[r.at]); !isBlank(r.lines[r.at]) && (depth < 0 || here < depth) {
			depth = here
		}
	}
	if digit != "" {
		depth = indent + int(digit[0]-'0')
	}
	var body strings.Builder
	for _, line := range r.lines[start:r.at] {
		body.WriteString(line[min(max(depth, 0), len(line)):] + "\n")
	}
	if end == "+" {
		return body.String()
	}
	return strings.TrimRight(body.String(), "\n") + map[string]string{"-": "", "": "\n"}[end]
}

var (
	single  = regexp.MustCompile(`^'(?:[^']|'')*'$`)
	double  = regexp.MustCompile(`^"(?:[^"\\]|\\.)*"$`)
	literal = regexp.MustCompile(`^\|([1-9]?)([-+]?)$`)
	number  = regexp.MustCompile(`^-?\d+$`)
	escape  = regexp.MustCompile(`\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)`)
	escapes = map[string]string{"0": "\x00", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b", "\"": "\"", "/": "/", "\\": "\\", "N": "\u0085", "_": "\u00a0", "L": "\u2028", "P": "\u2029"}
)

func isOdd(text string) bool {
	return strings.ContainsAny(text[:1], "[]{}&*!|>%@`#,'\"") || strings.HasPrefix(text, "? ") || strings.HasPrefix(text, "- ")
}

func scalar(text string) any {
	switch {
	case text == "[]":
		return []any{}
	case text == "{}":
		return mapping{}
	case single.MatchString(text):
		return strings.ReplaceAll(text[1:len(text)-1], "''", "'")
	case double.MatchString(text):
		return escape.ReplaceAllStringFunc(text[1:len(text)-1], unescape)
	case number.MatchString(text):
		value, err := strconv.Atoi(text)
		if err != nil {
			panic(err)
		}
		return value
	case isOdd(text):
		panic(fmt.Sprintf("%q is not understood", text))
	}
	return text
}

func unescape(found string) string {
	if len(found) == 2 {
		plain, isKnown := escapes[found[1:]]
		if !isKnown {
			panic(fmt.Sprintf("%s is no escape", found))
		}
		return plain
	}
	code, err := strconv.ParseInt(found[2:], 16, 32)
	if err != nil {
		panic(err)
	}
	return string(rune(code))
}
