/** Plain sockets that say what no proper client would, and tell everything they hear. */
import { connect, type Socket } from "node:net";

interface Heard {
  bytes: Buffer;
  /** The server closed the connection. */
  closed: boolean;
}

export function rawSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.once("error", reject);
    // A server that hangs up on somebody who still talks is heard as an error.
    socket.on("error", () => {});
  });
}

/** What is heard until the server closes, or until a chunk is enough. */
export function heard(socket: Socket, isEnough: (chunk: Buffer) => boolean = () => false): Promise<Heard> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const end = (closed: boolean): void => {
      socket.destroy();
      resolve({ bytes: Buffer.concat(chunks), closed });
    };
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      if (isEnough(chunk)) end(false);
    });
    socket.once("close", () => end(true));
  });
}

/** Latin-1: every byte is a character. */
export async function ask(port: number, said: string, isEnough?: (chunk: Buffer) => boolean): Promise<Heard> {
  const socket = await rawSocket(port);
  socket.write(said, "latin1");
  return heard(socket, isEnough);
}

/**
 * A client that has said so much and no more: all of it is read when the answer to a request before it, sent in the same
 * packet, is here.
 */
export async function midway(port: number, said: string): Promise<Socket> {
  const socket = await rawSocket(port);
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\n\r\n${said}`, "latin1");
  await new Promise((resolve) => socket.once("data", resolve));
  return socket;
}
