import { Duplex } from 'node:stream'
import { growingBuffer } from '../body.ts'

/** Buffers received data so that it can be read again; calls `refuse` once it is longer than this many bytes. */
export function rewindable(socket: Duplex, longest: number, refuse: () => void) {
  const { destroy } = socket
  const read: Buffer[] = []
  let length = 0
  // Node destroys a connection before it reports a parser error, so `destroy` does nothing while Node parses.
  const hold = (chunk: Buffer) => {
    length += chunk.length
    // Needed because Node's parser doesn't count blank lines.
    if (length > longest) return refuse()
    read.push(chunk)
    socket.destroy = () => socket
  }
  const release = () => {
    socket.destroy = destroy
  }
  const stopBuffering = () => {
    socket.off('data', hold).off('data', release)
    release()
  }
  return {
    /** Must be called once Node listens, so that its listener runs between these two. */
    startBuffering: () => void socket.prependListener('data', hold).on('data', release),
    letGo: stopBuffering,
    rewind() {
      stopBuffering()
      socket.pause().unshift(Buffer.concat(read))
    },
  }
}

/** Repairs response heads that browsers accept and Node's parser refuses. Drops writes: the request is already sent. */
export function repairHead(socket: Duplex, longestLine: number): Duplex {
  const repair = headRepairer(longestLine)
  const repaired = new Duplex({
    read: () => void socket.resume(),
    write: (_chunk, _encoding, done) => done(),
  })
  socket.on('data', (chunk: Buffer) => {
    if (!repaired.push(repair(chunk))) socket.pause()
  })
  socket.on('end', () => repaired.push(null))
  socket.on('close', () => {
    if (!socket.readableEnded) repaired.destroy()
  })
  return repaired
}

/** Repairs line by line until the end of the final response's head; others may precede it (103 Early Hints). */
function headRepairer(longestLine: number) {
  const buffer = growingBuffer()
  let status: string | undefined
  let hasLength = false
  let isOver = false

  function repair(chunk: Buffer): Buffer {
    if (isOver) return chunk
    const end = chunk.lastIndexOf('\n') + 1
    buffer.add(chunk.subarray(0, end))
    const completeLines = end > 0 ? repairLines(buffer.take()) : ''
    buffer.add(chunk.subarray(end))
    const rest = isOver || buffer.length > longestLine ? repairLines(buffer.take()) : ''
    return Buffer.from(completeLines + rest, 'latin1')
  }
  function repairLines(bytes: Buffer): string {
    const lines = bytes.toString('latin1').split(/(?<=\n)/)
    return lines.map(repairLine).join('')
  }
  function repairLine(line: string): string {
    if (isOver) return line
    if (status === undefined) {
      status = /^HTTP\/\d(?:\.\d)?\s+(\d{3})(?!\d)/.exec(line)?.[1]
      return status ? `HTTP/1.1 ${status}\r\n` : line
    }
    if (!/^\r?\n$/.test(line)) return repairHeader(line)
    isOver = !status.startsWith('1')
    status = undefined
    hasLength = false
    return line
  }
  /** Replaces the characters that a header name may not contain; no code reads the resulting names. */
  function repairHeader(line: string): string {
    const [before = '', ...after] = line.split(':')
    const [name, value] = [before.trim(), after.join(':').trim().replaceAll('\r', ' ')]
    if (name.toLowerCase() === 'content-length') return repairLength(value)
    return `${name.replace(/[^\w!#$%&'*+.^`|~-]/g, '_') || '_'}: ${value}\r\n`
  }
  /** Keeps only the first valid length. */
  function repairLength(value: string): string {
    const length = Math.min(Number.parseInt(value, 10), Number.MAX_SAFE_INTEGER)
    if (hasLength || !(length >= 0)) return `_: ${value}\r\n`
    hasLength = true
    return `Content-Length: ${length}\r\n`
  }
  return repair
}
