package live

import "fmt"

// Wrapper is a whole configuration of nginx around a file that belongs into
// its http block, for a single process that owns nothing but a folder and
// leaves no workers behind.
func Wrapper(dir, file string) string {
	return fmt.Sprintf(`daemon off;
master_process off;
worker_rlimit_nofile 8192;
pid %[1]s/nginx.pid;
error_log stderr warn;
events { worker_connections 4096; }
http {
    access_log off;
    client_body_temp_path %[1]s/body;
    proxy_temp_path %[1]s/proxy;
    fastcgi_temp_path %[1]s/fastcgi;
    uwsgi_temp_path %[1]s/uwsgi;
    scgi_temp_path %[1]s/scgi;
    include %[2]s;
}
`, dir, file)
}
