{{/* Names, labels, and what every pod of the services shares. */}}

{{- define "newslode.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Beginning of every name; the release's own name if that says `newslode` already. */}}
{{- define "newslode.fullname" -}}
{{- $name := include "newslode.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What selectors choose by: of a release, or with `component` of one part of it. */}}
{{- define "newslode.selector" -}}
app.kubernetes.io/name: {{ include "newslode.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{- define "newslode.labels" -}}
{{ include "newslode.selector" . }}
app.kubernetes.io/part-of: newslode
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
{{- if not .root.Values.plain }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}
{{- end -}}

{{- define "newslode.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository ($image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- define "newslode.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "newslode.fullname" .) -}}
{{- end -}}

{{/* Secrets with the URLs: yours, or those of the bundled servers. */}}
{{- define "newslode.brokerSecret" -}}
{{- if .Values.rabbitmq.bundled }}{{ include "newslode.fullname" . }}-rabbitmq{{ else }}{{ .Values.rabbitmq.secret }}{{ end -}}
{{- end -}}
{{- define "newslode.storeSecret" -}}
{{- if .Values.redis.bundled }}{{ include "newslode.fullname" . }}-redis{{ else }}{{ .Values.redis.secret }}{{ end -}}
{{- end -}}
{{/*
Keys of the URL of a service, of the scaler, or of the operator without `component`. Operators run their commands in a miner's pod, so a
miner has their URLs unless the values name others. The console works with the operator's rights.
*/}}
{{- define "newslode.brokerKey" -}}
{{- $server := .root.Values.rabbitmq -}}
{{- $own := and .component (index $server.keys .component) -}}
{{- if not $server.bundled }}{{ $own | default $server.key }}{{ else if and .component (not (has .component (list "miner" "console"))) }}broker-url-{{ .component }}{{ else }}broker-url{{ end -}}
{{- end -}}
{{- define "newslode.storeKey" -}}
{{- $server := .root.Values.redis -}}
{{- $own := and .component (index $server.keys .component) -}}
{{- if not $server.bundled }}{{ $own | default $server.key }}{{ else if and .component (not (has .component (list "miner" "console"))) }}store-url-{{ .component }}{{ else }}store-url{{ end -}}
{{- end -}}

{{/* Secret with the console's token: yours, or the one that the chart makes. */}}
{{- define "newslode.consoleSecret" -}}
{{- .Values.console.secret | default (printf "%s-console" (include "newslode.fullname" .)) -}}
{{- end -}}

{{- define "newslode.archiveUrl" -}}
{{- if eq .Values.archive.type "s3" -}}
s3://{{ .Values.archive.s3.bucket }}{{ with .Values.archive.s3.prefix }}/{{ . }}{{ end }}
{{- else -}}
file:///var/lib/newslode/archive
{{- end -}}
{{- end -}}

{{- define "newslode.archiveClaim" -}}
{{- .Values.archive.folder.existingClaim | default (printf "%s-archive" (include "newslode.fullname" .)) -}}
{{- end -}}

{{/* The configuration file. JSON's strings, numbers, booleans and lists are TOML's, too. */}}
{{- define "newslode.toml" -}}
{{- $config := deepCopy .Values.config -}}
{{- $_ := set $config "archive" (merge (dict "url" (include "newslode.archiveUrl" .)) ($config.archive | default dict)) -}}
{{- $_ := set $config "telemetry" (merge (dict "admin" "0.0.0.0:9464") ($config.telemetry | default dict)) -}}
{{- if .Values.schemes -}}
{{- $files := list -}}
{{- range $name, $_ := .Values.schemes }}{{ $files = append $files (printf "/etc/newslode-schemes/%s" $name) }}{{ end -}}
{{- $_ := set $config "miner" (merge (dict "schemes" $files) ($config.miner | default dict)) -}}
{{- end -}}
{{- range $section, $keys := $config }}
[{{ $section }}]
{{- range $key, $value := $keys }}
{{ $key }} = {{ toJson $value }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "newslode.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "newslode.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Where pods may run. */}}
{{- define "newslode.placement" -}}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Variables of every pod that runs a program of ours: the configuration's secrets. A partitioner has no Redis. */}}
{{- define "newslode.env" -}}
{{- $component := .component -}}
{{- with .root -}}
- name: NEWSLODE__BROKER__URL
  valueFrom:
    secretKeyRef:
      name: {{ include "newslode.brokerSecret" . }}
      key: {{ include "newslode.brokerKey" (dict "root" . "component" $component) }}
{{- if ne $component "partitioner" }}
- name: NEWSLODE__STORE__URL
  valueFrom:
    secretKeyRef:
      name: {{ include "newslode.storeSecret" . }}
      key: {{ include "newslode.storeKey" (dict "root" . "component" $component) }}
{{- end }}
{{- if eq .Values.archive.type "s3" }}
{{- $s3 := .Values.archive.s3 }}
- name: AWS_REGION
  value: {{ $s3.region }}
{{- with $s3.endpoint }}
- name: AWS_ENDPOINT
  value: {{ . }}
{{- if hasPrefix "http://" . }}
- name: AWS_ALLOW_HTTP
  value: "true"
{{- end }}
{{- end }}
{{- with $s3.secret }}
{{- range list "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY" }}
- name: {{ . }}
  valueFrom:
    secretKeyRef:
      name: {{ $s3.secret }}
      key: {{ . }}
{{- end }}
{{- end }}
{{- end }}
{{- if .Values.ca.secret }}
# Both are read: the authorities of the system, and this one.
- name: SSL_CERT_FILE
  value: /etc/newslode-ca/ca.crt
- name: SSL_CERT_DIR
  value: /etc/ssl/certs
{{- end }}
{{- if and .Values.crawler.sites.secret (eq $component "crawler") }}
# Only crawlers have the file.
- name: NEWSLODE__CRAWLER__SITES_FILE
  value: /etc/newslode-sites/sites.toml
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
{{- end -}}

{{- define "newslode.mounts" -}}
{{- $component := .component -}}
{{- with .root -}}
- name: config
  mountPath: /etc/newslode
  readOnly: true
{{- if eq .Values.archive.type "folder" }}
- name: archive
  mountPath: /var/lib/newslode/archive
{{- end }}
{{- if .Values.ca.secret }}
- name: ca
  mountPath: /etc/newslode-ca
  readOnly: true
{{- end }}
{{- if and .Values.schemes (or (eq $component "miner") (eq $component "console")) }}
- name: schemes
  mountPath: /etc/newslode-schemes
  readOnly: true
{{- end }}
{{- if and .Values.crawler.sites.secret (eq $component "crawler") }}
- name: sites
  mountPath: /etc/newslode-sites
  readOnly: true
{{- end }}
{{- if eq $component "console" }}
- name: token
  mountPath: /etc/newslode-console
  readOnly: true
{{- end }}
- name: tmp
  mountPath: /tmp
{{- end -}}
{{- end -}}

{{- define "newslode.volumes" -}}
{{- $component := .component -}}
{{- with .root -}}
- name: config
  configMap:
    name: {{ include "newslode.fullname" . }}
{{- if eq .Values.archive.type "folder" }}
- name: archive
  persistentVolumeClaim:
    claimName: {{ include "newslode.archiveClaim" . }}
{{- end }}
{{- if .Values.ca.secret }}
- name: ca
  secret:
    secretName: {{ .Values.ca.secret }}
    items:
      - key: {{ .Values.ca.key }}
        path: ca.crt
{{- end }}
{{- if and .Values.schemes (or (eq $component "miner") (eq $component "console")) }}
- name: schemes
  configMap:
    name: {{ include "newslode.fullname" . }}-schemes
{{- end }}
{{- if and .Values.crawler.sites.secret (eq $component "crawler") }}
- name: sites
  secret:
    secretName: {{ .Values.crawler.sites.secret }}
    # The crawler refuses a file that others could read.
    defaultMode: 0440
    items:
      - key: {{ .Values.crawler.sites.key }}
        path: sites.toml
{{- end }}
{{- if eq $component "console" }}
- name: token
  secret:
    secretName: {{ include "newslode.consoleSecret" . }}
    # The console refuses a token that others could read.
    defaultMode: 0440
    items:
      - key: {{ .Values.console.key }}
        path: token
{{- end }}
- name: tmp
  emptyDir:
    {{- if eq $component "console" }}
    # The search index is there.
    sizeLimit: {{ .Values.console.indexSize }}
    {{- else }}
    sizeLimit: 256Mi
    {{- end }}
{{- end -}}
{{- end -}}
