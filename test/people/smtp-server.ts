// A small SMTP server on loopback (RFC 5321 as far as mails of ours need it), and the ways in which one can misbehave.

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

export type Manner = 'takes' | 'refuses' | 'busy' | 'hangs' | 'cuts' | 'garbles';

export type Received = { readonly from: string; readonly to: string; readonly data: string };

export class SmtpServer {
  /** What it does with whoever comes next. */
  manner: Manner = 'takes';
  readonly mails: Received[] = [];
  /** Every line but those of mails. */
  readonly heard: string[] = [];
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #waiting: (() => void)[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<SmtpServer> {
    const server = createServer();
    const smtp = new SmtpServer(server);
    server.on('connection', (socket) => smtp.#serve(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return smtp;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    return `smtp://127.0.0.1:${address.port}`;
  }

  /** Once there are so many. */
  async received(count: number): Promise<readonly Received[]> {
    while (this.mails.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.mails;
  }

  async connected(count: number): Promise<void> {
    while (this.connections < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.connections += 1;
    for (const tell of this.#waiting.splice(0)) tell();
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    const manner = this.manner;
    if (manner === 'hangs') return;
    if (manner === 'garbles') {
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      return;
    }
    socket.write('220 test\r\n');
    const mail = { from: '', to: '' };
    let text = '';
    let data: string[] | undefined;
    socket.on('data', (chunk) => {
      text += String(chunk);
      for (let end = text.indexOf('\r\n'); end !== -1; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        if (data === undefined) {
          this.heard.push(line);
          data = this.#answer(socket, line, mail, manner);
        } else if (line !== '.') data.push(line.replace(/^\./, ''));
        else {
          this.mails.push({ ...mail, data: data.join('\n') });
          data = undefined;
          socket.write('250 taken\r\n');
          for (const tell of this.#waiting.splice(0)) tell();
        }
      }
    });
  }

  #answer(
    socket: Socket,
    line: string,
    mail: { from: string; to: string },
    manner: Manner,
  ): string[] | undefined {
    if (/^EHLO/i.test(line)) socket.write('250-test\r\n250 8BITMIME\r\n');
    else if (/^MAIL FROM/i.test(line)) {
      mail.from = line;
      socket.write('250 ok\r\n');
    } else if (/^RCPT TO/i.test(line)) {
      mail.to = line;
      if (manner === 'refuses') socket.write('550 no such mailbox someone@example.com\r\n');
      else if (manner === 'busy') socket.write('451 come back later\r\n');
      else socket.write('250 ok\r\n');
    } else if (/^DATA/i.test(line)) {
      if (manner === 'cuts') socket.destroy();
      else {
        socket.write('354 go on\r\n');
        return [];
      }
    } else if (/^STARTTLS/i.test(line)) socket.write('454 TLS not available\r\n');
    else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n');
    else socket.write('250 ok\r\n');
    return undefined;
  }
}
