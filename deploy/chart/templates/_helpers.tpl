{{- /* What the generated templates include. Written by hand: what differs from the base is decided here. */}}

{{- define "swarm-operator.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{- define "swarm-operator.serviceAccountName" -}}
{{- if .Values.serviceAccount.name -}}
{{- .Values.serviceAccount.name -}}
{{- else if .Values.serviceAccount.create -}}
{{- include "swarm-operator.fullname" . -}}
{{- else -}}
{{- fail "serviceAccount.name is empty; with serviceAccount.create: false, name the account that exists" -}}
{{- end -}}
{{- end }}

{{- /* By digest where one is given: a tag can be moved. */}}
{{- define "swarm-operator.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- /* Only those given: the operator has the defaults itself. */}}
{{- define "swarm-operator.env" -}}
{{- $variables := dict -}}
{{- range $name, $value := .Values.settings -}}
{{- $_ := set $variables (printf "SWARM_%s" ($name | snakecase | upper)) $value -}}
{{- end -}}
{{- with .Values.kinds -}}
{{- $_ := set $variables "SWARM_KINDS" (join "," .) -}}
{{- end -}}
{{- with .Values.watchNamespaces -}}
{{- $_ := set $variables "SWARM_NAMESPACES" (join "," .) -}}
{{- end -}}
{{- $kinds := list -}}
{{- range .Values.memberKinds -}}
{{- $kinds = append $kinds (printf "%s/%s/%s" .group .version .kind) -}}
{{- end -}}
{{- with $kinds -}}
{{- $_ := set $variables "SWARM_MEMBER_KINDS" (join "," .) -}}
{{- end -}}
{{- range $name, $value := $variables }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{- /* What a group does with a member of a kind that the operator does not watch. */}}
{{- define "swarm-operator.memberKindRules" -}}
{{- range .Values.memberKinds }}
- apiGroups:
    - {{ quote .group }}
  resources:
    - {{ printf "%s/scale" .plural | quote }}
  verbs:
    - get
    - update
{{- end }}
{{- end }}

{{- /* Takes root, labels and annotations. The first of a name wins. */}}
{{- define "swarm-operator.metadata" -}}
{{- $common := dict "app.kubernetes.io/part-of" "swarm-operator" "app.kubernetes.io/instance" .root.Release.Name "app.kubernetes.io/managed-by" .root.Release.Service "helm.sh/chart" (printf "%s-%s" .root.Chart.Name (.root.Chart.Version | replace "+" "_")) -}}
labels:
  {{- toYaml (merge (dict) .labels $common .root.Values.commonLabels) | nindent 2 }}
{{- with merge (dict) .annotations .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "swarm-operator.monitoringMetadata" -}}
{{- $labels := merge (dict) .labels .root.Values.monitoring.labels -}}
{{- include "swarm-operator.metadata" (dict "root" .root "labels" $labels "annotations" .annotations) -}}
{{- end }}

{{- /* No label that differs from version to version: an upgrade that changes nothing else restarts no replica. */}}
{{- define "swarm-operator.podMetadata" -}}
labels:
  {{- toYaml (merge (dict) .labels .root.Values.podLabels) | nindent 2 }}
{{- with .root.Values.podAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
