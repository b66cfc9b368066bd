/** A web server in a sandbox that tells what reached it, and callers that send exactly what they are given. */
import { once } from 'node:events';
import { request as startRequest } from 'node:http';
import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RunningProcess, SandboxHandle } from '@omnigent/client';

const SERVER = `
import base64, hashlib, http.server, json, struct, threading, urllib.parse
released, gone = threading.Event(), threading.Event()
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def __getattr__(self, name):
        if name.startswith('do_'): return self.answer
        raise AttributeError(name)
    def log_message(self, *_): pass
    def read_body(self):
        if self.headers.get('transfer-encoding') == 'chunked':
            while size := int(self.rfile.readline(), 16): yield self.rfile.read(size); self.rfile.readline()
            self.rfile.readline()
        left = int(self.headers.get('content-length') or 0)
        while left > 0:
            block = self.rfile.read(min(left, 65536)); left -= len(block); yield block
    def say(self, status, body=b'', *headers):
        self.send_response(status)
        for name, value in headers: self.send_header(name, value)
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        if self.command != 'HEAD': self.wfile.write(body)
    def chunk(self, data): self.wfile.write(b'%x\\r\\n%s\\r\\n' % (len(data), data)); self.wfile.flush()
    def begin(self, kind):
        self.send_response(200); self.send_header('content-type', kind); self.send_header('transfer-encoding', 'chunked'); self.end_headers()
    def answer(self):
        path = self.requestline.split(' ')[1]
        route = path.split('?')[0].strip('/')
        if route == 'redirect': return self.say(302, b'', ('location', 'http://127.0.0.1:1/elsewhere'))
        if route == 'early': self.say(413, b'too much'); return [None for _ in self.read_body()]
        if route == 'release': released.set(); return self.say(204)
        if route == 'gone': return self.say(200, b'gone' if gone.wait(30) else b'still there')
        if route == 'source': return self.say(200, bytes(range(256)) * 40960)
        if route == 'cookies': return self.say(200, b'', ('set-cookie', 'mine=1; Path=/'), ('set-cookie', 'omnigent-preview=x'), ('set-cookie', 'wide=1; Domain=localhost'), ('alt-svc', 'h3=":1"'), ('clear-site-data', '"*"'))
        if route == 'events':
            self.begin('text/event-stream'); self.chunk(b'data: first\\n\\n'); released.wait(30); self.chunk(b'data: second\\n\\n'); return self.chunk(b'')
        if route == 'endless':
            self.begin('text/plain')
            try:
                while True: self.chunk(b'x' * 65536)
            except OSError: gone.set(); self.close_connection = True; return
        if route == 'ws': return self.web_socket()
        digest, size = hashlib.sha256(), 0
        for block in self.read_body(): digest.update(block); size += len(block)
        told = {'method': self.command, 'path': path, 'headers': self.headers.items(), 'sha256': digest.hexdigest(), 'size': size}
        self.say(200, json.dumps(told).encode(), ('x-seen', 'one'), ('X-Seen', 'two'))
    def web_socket(self):
        if self.headers.get('upgrade') != 'websocket': return self.say(426, b'expected websocket')
        key = self.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        self.wfile.write(('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Accept: %s\\r\\n\\r\\n' % accept).encode())
        self.close_connection = True
        while head := self.rfile.read(2):
            size = head[1] & 127
            if size == 126: size = struct.unpack('>H', self.rfile.read(2))[0]
            mask, data = self.rfile.read(4), self.rfile.read(size)
            data = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
            self.wfile.write(bytes([head[0]]) + (bytes([size]) if size < 126 else struct.pack('>BH', 126, size)) + data); self.wfile.flush()
            if head[0] & 15 == 8: return
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
`;

export interface WebServer {
  readonly program: RunningProcess;
  readonly port: number;
}

/** Starts it on a free port. */
export async function startWebServer(sandbox: SandboxHandle): Promise<WebServer> {
  const program = sandbox.prepare(['python3', '-c', SERVER]);
  let said = '';
  for await (const { stream, data } of program.output()) {
    said += Buffer.from(data).toString();
    if (stream === 1) return { program, port: Number(said) };
  }
  throw new Error(`the web server did not start: ${said}`);
}

export interface Visit {
  readonly url: string;
  readonly method?: string;
  /** Path and query, sent byte for byte in the place of those of the URL. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Keeps connections for the next request. */
  readonly agent?: Agent;
}

export interface Visited {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Starts a request to a name below localhost, which is this machine whatever its resolver says. */
export function startVisit({ url, method = 'GET', path, headers = {}, agent }: Visit): ClientRequest {
  const { host, port, pathname, search } = new URL(url);
  return startRequest({
    host: '127.0.0.1',
    port,
    method,
    path: path ?? pathname + search,
    headers: { host, ...headers },
    agent: agent ?? false,
  });
}

/** Sends a request and reads the whole answer; redirects are not followed. */
export async function visit(options: Visit): Promise<Visited> {
  const request = startVisit(options);
  request.end(options.body);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) };
}

/** What the web server says of a request. */
export interface Told {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly sha256: string;
  readonly size: number;
}

/** Sends a request and returns what reached the web server. */
export async function visitTold(options: Visit): Promise<Told> {
  const { body } = await visit(options);
  return JSON.parse(body.toString()) as Told;
}

/** Headers by lower-case name. */
export function toHeaderMap({ headers }: Told): Record<string, string> {
  return Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
}
