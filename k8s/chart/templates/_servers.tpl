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

{{/* The password of a user of a bundled server, made of the server's: it does not lead back to that. */}}
{{- define "newslode.userPassword" -}}
{{- printf "%s/%s" .password .user | sha256sum | trunc 48 -}}
{{- end -}}

{{/* What each user may do in RabbitMQ (docs/security.md): a JSON list of {user, configure, write, read}. */}}
{{- define "newslode.rights" -}}
{{- $ours := printf "^%s[.]" (dig "broker" "prefix" "newslode" .Values.config | regexQuoteMeta) -}}
{{- list
  (dict "user" "newslode" "configure" $ours "write" (printf "^(%s|amq[.]default$)" (trimPrefix "^" $ours)) "read" $ours)
  (dict "user" "crawler" "configure" "^$" "write" (printf "%spublish[.](pages|gone)$" $ours) "read" "^$")
  (dict "user" "partitioner" "configure" "^$" "write" (printf "%spublish[.](partitions|pages[.]dead)$" $ours) "read" (printf "%spages$" $ours))
  (dict "user" "miner" "configure" $ours
    "write" (printf "%s(articles|dead|publish[.](pages|gone|(seeds|removals|gone|partitions)[.]dead)|(seeds|removals|pages|gone|partitions)([.]dead)?)$" $ours)
    "read" (printf "%s(dead|seeds|removals|pages|gone|partitions|publish[.].*)$" $ours))
  (dict "user" "seeds" "configure" "^$" "write" (printf "%spublish[.]seeds$" $ours) "read" "^$")
  (dict "user" "reader" "configure" (printf "%sreader[.]" $ours) "write" (printf "%sreader[.]" $ours) "read" (printf "%s(articles|reader[.].*)$" $ours))
  (dict "user" "scaler" "configure" "^$" "write" "^$" "read" "^$")
  | toJson -}}
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
