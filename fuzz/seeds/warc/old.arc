filedesc://x.arc 0.0.0.0 20240501120000 text/plain 76
1 0 InternetArchive
URL IP-address Archive-date Content-type Archive-length

http://a.test/ 192.0.2.1 20240501120000 text/html 67
HTTP/1.1 200 OK
Content-Type: text/html

<p>Words of a page.</p>
dns:a.test 192.0.2.1 20240501120000 text/html 15
20240501120000

