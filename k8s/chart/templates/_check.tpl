{{/*
Values that contradict each other, and secrets that are not there. All faults are told at once, each with what mends it,
before anything is sent to the cluster.
*/}}
{{- define "newslode.check" -}}
{{- $values := .Values -}}
{{- $crawling := $values.config.crawler | default dict -}}
{{- $faults := list -}}
{{- if not (or $values.plain $values.contact $crawling.allow_private $crawling.resolve (contains "(+" ($crawling.user_agent | default ""))) -}}
{{- $faults = append $faults "`contact` is empty: sites must know whom to turn to; set it to a URL or mail address of yours" -}}
{{- end -}}
{{- range $name := list "rabbitmq" "redis" -}}
{{- $server := index $values $name -}}
{{- if and $server.bundled $server.secret -}}
{{- $faults = append $faults (printf "`%s.bundled` is on and `%s.secret` names a server of yours: choose one; turn `%s.bundled` off, or leave `%s.secret` empty" $name $name $name $name) -}}
{{- else if not (or $server.bundled $server.secret) -}}
{{- $faults = append $faults (printf "no server for `%s`: set `%s.secret` to a secret with the URL of yours, or `%s.bundled` to true for trying out" $name $name $name) -}}
{{- end -}}
{{- if and $server.tlsSecret (not $server.bundled) -}}
{{- $faults = append $faults (printf "`%s.tlsSecret` is of the bundled server, which is off: for a server of yours write `amqps://` or `rediss://` into the URL and set `ca.secret`" $name) -}}
{{- end -}}
{{- if and $server.bundled $server.tlsSecret (not $values.ca.secret) -}}
{{- $faults = append $faults (printf "`%s.tlsSecret` is set and `ca.secret` is not: the services would not trust the server; set `ca.secret` to a secret with the authority, such as `%s`" $name $server.tlsSecret) -}}
{{- end -}}
{{- end -}}
{{- if and $values.autoscaling.keda.enabled $values.autoscaling.hpa.enabled -}}
{{- $faults = append $faults "`autoscaling.keda.enabled` and `autoscaling.hpa.enabled` are both on, and would fight over the copies: turn one off" -}}
{{- end -}}
{{- range $name := list "crawler" "partitioner" "miner" -}}
{{- $scaling := index $values $name "autoscaling" -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) -}}
{{- $faults = append $faults (printf "`%s.autoscaling.minReplicas` is %d, more than `%s.autoscaling.maxReplicas`, which is %d: lower the one or raise the other" $name (int $scaling.minReplicas) $name (int $scaling.maxReplicas)) -}}
{{- end -}}
{{- end -}}
{{- if and $values.autoscaling.keda.enabled $values.crawler.autoscaling.enabled -}}
{{- if not $values.autoscaling.keda.prometheus -}}
{{- $faults = append $faults "`autoscaling.keda.prometheus` is empty: crawlers are scaled by what Prometheus knows; set its address, or `crawler.autoscaling.enabled` to false" -}}
{{- end -}}
{{- if ge (int $values.crawler.autoscaling.target) (int ($crawling.workers | default 16)) -}}
{{- $faults = append $faults (printf "`crawler.autoscaling.target` is %d and `config.crawler.workers` is %d: no crawler ever has so many fetches under way; set a lower target" (int $values.crawler.autoscaling.target) (int ($crawling.workers | default 16))) -}}
{{- end -}}
{{- end -}}
{{- $archive := $values.archive -}}
{{- if eq $archive.type "folder" -}}
{{- if and (eq $archive.folder.accessMode "ReadWriteOnce") (not $archive.folder.singleNode) -}}
{{- $faults = append $faults "`archive.folder.accessMode` is ReadWriteOnce, which pods of several nodes cannot share: use a class with ReadWriteMany, or `archive.type: s3`, or keep all pods on one node by `archive.folder.singleNode: true`" -}}
{{- end -}}
{{- if or $archive.s3.bucket $archive.s3.secret -}}
{{- $faults = append $faults "`archive.type` is folder, and `archive.s3` names a bucket or its secret: set `archive.type: s3`, or leave `archive.s3` empty" -}}
{{- end -}}
{{- else -}}
{{- if not $archive.s3.bucket -}}
{{- $faults = append $faults "`archive.type` is s3 and `archive.s3.bucket` is empty: name the bucket" -}}
{{- end -}}
{{- if $archive.folder.existingClaim -}}
{{- $faults = append $faults "`archive.type` is s3 and `archive.folder.existingClaim` is set: choose one" -}}
{{- end -}}
{{- if and $values.networkPolicy.enabled (not $values.networkPolicy.s3) -}}
{{- $faults = append $faults "`networkPolicy.s3` is empty: partitioners and miners could not reach the bucket; name its peers, such as `[{ipBlock: {cidr: 203.0.113.0/24}}]`" -}}
{{- end -}}
{{- end -}}
{{- $grace := int $values.terminationGracePeriodSeconds -}}
{{- range $name := list "crawler" "partitioner" "miner" -}}
{{- $own := index $values.config $name | default dict -}}
{{- $longest := int ($own.grace_ms | default 25000) -}}
{{- if eq $name "crawler" -}}
{{- $longest = add $longest (mul 2 (int ($own.timeout_ms | default 20000))) -}}
{{- end -}}
{{- $needed := add1 (div $longest 1000) -}}
{{- if lt $grace (int $needed) -}}
{{- $faults = append $faults (printf "`terminationGracePeriodSeconds` is %d, and a %s may need %d to stop: raise it, or lower `config.%s.grace_ms`%s" $grace $name (int $needed) $name (ternary " or `config.crawler.timeout_ms`" "" (eq $name "crawler"))) -}}
{{- end -}}
{{- end -}}
{{- if and $values.console.enabled $values.networkPolicy.enabled $values.console.hosts (not $values.networkPolicy.console) -}}
{{- $faults = append $faults "`console.hosts` names the console and `networkPolicy.console` is empty: nobody could reach it; set `networkPolicy.console` to your proxy's pods, such as `[{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ingress-nginx}}}]`" -}}
{{- end -}}
{{- if and (not $values.serviceAccount.create) (not $values.serviceAccount.name) -}}
{{- $faults = append $faults "`serviceAccount.create` is off and `serviceAccount.name` is empty: name the account" -}}
{{- end -}}
{{- if and (not $faults) $values.preflight (include "newslode.connected" .) -}}
{{- range $wanted := include "newslode.secrets" . | fromJsonArray -}}
{{- $found := lookup "v1" "Secret" $.Release.Namespace $wanted.name -}}
{{- $literals := "" -}}
{{- range $wanted.keys -}}{{- $literals = printf "%s --from-file=%s=./%s" $literals . . -}}{{- end -}}
{{- if not $found -}}
{{- $faults = append $faults (printf "secret `%s` (`%s`) is not in namespace `%s`: make it with `kubectl -n %s create secret generic %s%s`" $wanted.name $wanted.value $.Release.Namespace $.Release.Namespace $wanted.name $literals) -}}
{{- else -}}
{{- range $key := $wanted.keys -}}
{{- if not (hasKey ($found.data | default dict) $key) -}}
{{- $faults = append $faults (printf "secret `%s` (`%s`) has no key `%s`: add it, or name the right key in the values" $wanted.name $wanted.value $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $faults -}}
{{- fail (printf "\n\nNothing was changed. The values cannot be used:\n- %s\n" (join "\n- " $faults)) -}}
{{- end -}}
{{- end -}}

{{/* Not empty where a cluster answers: every namespace has this ConfigMap. `helm template` sees nothing. */}}
{{- define "newslode.connected" -}}
{{- if lookup "v1" "ConfigMap" .Release.Namespace "kube-root-ca.crt" -}}yes{{- end -}}
{{- end -}}

{{/* The secrets that the values name: JSON list of {name, value, keys}. */}}
{{- define "newslode.secrets" -}}
{{- $values := .Values -}}
{{- $wanted := list -}}
{{- range $server := list "rabbitmq" "redis" -}}
{{- with index $values $server -}}
{{- if .bundled -}}
{{- if .tlsSecret -}}
{{- $wanted = append $wanted (dict "name" .tlsSecret "value" (printf "%s.tlsSecret" $server) "keys" (list "tls.crt" "tls.key" "ca.crt")) -}}
{{- end -}}
{{- else -}}
{{- $wanted = append $wanted (dict "name" .secret "value" (printf "%s.secret" $server) "keys" (concat (list .key) (values .keys) | uniq | sortAlpha)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $values.ca.secret -}}
{{- $wanted = append $wanted (dict "name" $values.ca.secret "value" "ca.secret" "keys" (list $values.ca.key)) -}}
{{- end -}}
{{- if $values.crawler.sites.secret -}}
{{- $wanted = append $wanted (dict "name" $values.crawler.sites.secret "value" "crawler.sites.secret" "keys" (list $values.crawler.sites.key)) -}}
{{- end -}}
{{- if and $values.console.enabled $values.console.secret -}}
{{- $wanted = append $wanted (dict "name" $values.console.secret "value" "console.secret" "keys" (list $values.console.key)) -}}
{{- end -}}
{{- if and (eq $values.archive.type "s3") $values.archive.s3.secret -}}
{{- $wanted = append $wanted (dict "name" $values.archive.s3.secret "value" "archive.s3.secret" "keys" (list "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY")) -}}
{{- end -}}
{{- toJson $wanted -}}
{{- end -}}
