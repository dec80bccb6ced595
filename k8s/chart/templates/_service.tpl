{{/* One of the three services, or the console: its pods, who disturbs them, and how they are reached. */}}
{{- define "newslode.service" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
{{- $service := index $values .component -}}
{{- $name := printf "%s-%s" (include "newslode.fullname" $root) .component -}}
{{- $isConsole := eq .component "console" -}}
{{- $scaled := and (not $isConsole) $service.autoscaling.enabled (or $values.autoscaling.keda.enabled $values.autoscaling.hpa.enabled) -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "newslode.labels" . | nindent 4 }}
spec:
  {{- if not $scaled }}
  {{- /* Sessions are in the memory of one console. */}}
  replicas: {{ ternary 1 $service.replicas $isConsole }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "newslode.selector" . | nindent 6 }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  template:
    metadata:
      labels:
        {{- include "newslode.labels" . | nindent 8 }}
      {{- if or (not $values.plain) (not $values.monitoring.serviceMonitor) $values.podAnnotations }}
      annotations:
        {{- if not $values.plain }}
        # The file is read once, at the start: pods of an old one are replaced.
        checksum/config: {{ printf "%s%s" (include "newslode.toml" $root) (empty $values.schemes | ternary "" (toJson $values.schemes)) | sha256sum }}
        {{- end }}
        {{- if not $values.monitoring.serviceMonitor }}
        prometheus.io/scrape: "true"
        prometheus.io/port: "9464"
        prometheus.io/path: /metrics
        {{- end }}
        {{- with $values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "newslode.serviceAccount" $root }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      # Longer than the longest fetch: what is held is finished or given back.
      terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
      {{- with $values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      securityContext:
        {{- include "newslode.podSecurity" 10001 | nindent 8 }}
      {{- with include "newslode.placement" $root | trim }}
      {{- . | nindent 6 }}
      {{- end }}
      {{- if and (eq $values.archive.type "folder") $values.archive.folder.singleNode }}
      # The archive's volume belongs to one node: all pods follow the first one.
      affinity:
        podAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - topologyKey: kubernetes.io/hostname
              labelSelector:
                matchLabels:
                  {{- include "newslode.selector" (dict "root" $root) | nindent 18 }}
                matchExpressions:
                  - key: app.kubernetes.io/component
                    operator: In
                    values: [crawler, partitioner, miner, console]
      {{- else }}
      topologySpreadConstraints:
        {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "newslode.selector" $ | nindent 14 }}
        {{- end }}
      {{- end }}
      containers:
        - name: {{ .component }}
          image: {{ include "newslode.image" $root }}
          imagePullPolicy: {{ $values.image.pullPolicy }}
          {{- if $isConsole }}
          command:
            - newslode
            - --config=/etc/newslode/newslode.toml
            - serve
            - --addr=0.0.0.0:8080
            - --admin=0.0.0.0:9464
            - --token-file=/etc/newslode-console/token
            {{- if $service.requireToken }}
            - --require-token
            {{- end }}
            {{- range $service.hosts }}
            - --host={{ . }}
            {{- end }}
            {{- range $service.trustedProxies }}
            - --trusted-proxy={{ . }}
            {{- end }}
          {{- else }}
          command: [newslode-{{ .component }}, --config, /etc/newslode/newslode.toml]
          {{- end }}
          env:
            {{- include "newslode.env" . | nindent 12 }}
            {{- if eq .component "crawler" }}
            # Whom sites can turn to; the crawler does not start without it.
            - name: NEWSLODE__CRAWLER__CONTACT
              value: {{ $values.contact | quote }}
            {{- end }}
          ports:
            - name: admin
              containerPort: 9464
            {{- if $isConsole }}
            - name: http
              containerPort: 8080
            {{- end }}
          # Alive is: the event loop turns. Neither broker nor store is asked, so their outage restarts nothing.
          startupProbe:
            httpGet:
              path: /health/live
              port: admin
            periodSeconds: 2
            failureThreshold: 60
          livenessProbe:
            httpGet:
              path: /health/live
              port: admin
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          # Ready is: broker and store can be used. It paces a rollout.
          readinessProbe:
            httpGet:
              path: /health/ready
              port: admin
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 3
          resources:
            {{- toYaml $service.resources | nindent 12 }}
          securityContext:
            {{- include "newslode.containerSecurity" . | nindent 12 }}
          volumeMounts:
            {{- include "newslode.mounts" . | nindent 12 }}
      volumes:
        {{- include "newslode.volumes" . | nindent 8 }}
---
# One at a time, whatever the number of copies: a drain is never blocked.
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "newslode.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "newslode.selector" . | nindent 6 }}
---
{{- if $isConsole }}
# Whoever may come this way is in `networkPolicy.console`; `kubectl port-forward` needs no rule.
{{- else }}
# Leads to each pod that is ready: for metrics and health, no work comes this way.
{{- end }}
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "newslode.labels" . | nindent 4 }}
spec:
  {{- if not $isConsole }}
  clusterIP: None
  {{- end }}
  selector:
    {{- include "newslode.selector" . | nindent 4 }}
  ports:
    - name: admin
      port: 9464
      targetPort: admin
    {{- if $isConsole }}
    - name: http
      port: 8080
      targetPort: http
    {{- end }}
{{- end -}}
