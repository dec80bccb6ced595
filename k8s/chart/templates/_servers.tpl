{{/* What the bundled servers share. Not for production: one pod each. */}}

{{- define "newslode.amqpPort" -}}
{{- ternary 5671 5672 (ne .Values.rabbitmq.tlsSecret "") -}}
{{- end -}}

{{/* A password: the given one, that of the secret which is there already, or a new one. */}}
{{- define "newslode.password" -}}
{{- $there := lookup "v1" "Secret" .root.Release.Namespace .secret -}}
{{- if .given -}}
{{- .given -}}
{{- else if hasKey (($there | default dict).data | default dict) "password" -}}
{{- index $there.data "password" | b64dec -}}
{{- else -}}
{{- randAlphaNum 32 -}}
{{- end -}}
{{- end -}}

{{- define "newslode.volumeClaim" -}}
volumeClaimTemplates:
  - metadata:
      name: data
    spec:
      accessModes: [ReadWriteOnce]
      {{- with .storageClass }}
      storageClassName: {{ . }}
      {{- end }}
      resources:
        requests:
          storage: {{ .size }}
{{- end -}}
