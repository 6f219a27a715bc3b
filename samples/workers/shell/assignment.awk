# Reads a worker's assignment from the mounted file. Called with worker=NAME; prints
#   version<TAB>of the file<TAB>of the entry     job<TAB>name     parameter<TAB>name<TAB>KEY<TAB>value
# Accepts only the YAML that the operator writes, with each value on one line; anything else is an error (exit code 1).

function refuse(why) { print FILENAME " line " FNR ": " why > "/dev/stderr"; failed = 1; exit 1 }

# Removes the quotes of a name or a value.
function plain(text) {
  if (text ~ /^'([^']|'')*'$/) { text = substr(text, 2, length(text) - 2); gsub(/''/, "'", text); return text }
  if (text == "" || text ~ /^[][{}&*!|>%@`#,"']/) refuse("is not understood")
  return text
}

# Splits `key: value` into the globals key and value; a value of "" means that its own lines follow.
function split_pair(text,    at) {
  if (match(text, /^'([^']|'')*':/)) { key = plain(substr(text, 1, RLENGTH - 1)); value = substr(text, RLENGTH + 2); return }
  at = index(text, ": ")
  if (at == 0 && text ~ /:$/) at = length(text)
  if (at == 0) refuse("is no `key: value`")
  key = plain(substr(text, 1, at - 1)); value = substr(text, at + 2)
}

/\t/ { refuse("has a tab") }
{ match($0, /^ */); depth = RLENGTH; text = substr($0, depth + 1) }
depth == 0 { split_pair(text); top = key; mine = 0 }
depth == 0 && key == "format" && value != "1" { refuse("is of another format") }
depth == 0 && key == "version" { if (value !~ /^[1-9][0-9]*$/) refuse("is no version"); version = value }
depth == 0 && key == "workloads" { has_workloads = 1; if (value != "" && value != "{}") refuse("is no mapping") }
depth == 2 && top == "workloads" { split_pair(text); mine = key == worker }
!mine { next }
depth == 4 { split_pair(text); field = key }
depth == 4 && field == "version" { entry = value }
depth == 4 && field == "jobs" { has_jobs = 1; if (value != "" && value != "[]") refuse("is no list") }
depth == 6 && field == "jobs" { if (text !~ /^- /) refuse("is no item"); out[++count] = "job\t" plain(substr(text, 3)) }
depth == 6 && field == "parameters" { split_pair(text); stream = key }
depth == 8 && field == "parameters" {
  split_pair(text); name = toupper(key); gsub(/[^A-Z0-9]/, "_", name)
  out[++count] = "parameter\t" stream "\t" name "\t" plain(value)
}
depth == 2 { has_entry = 1 }
END {
  if (failed) exit 1
  if (version == "" || !has_workloads || (has_entry && !has_jobs)) { print FILENAME ": no version, workloads or jobs" > "/dev/stderr"; exit 1 }
  print "version\t" version "\t" (entry == "" ? version : entry)
  for (i = 1; i <= count; i++) print out[i]
}
