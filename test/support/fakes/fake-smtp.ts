import { createServer } from 'node:net'
import { listen } from '../listen.ts'

/** `helo` is the name that the sender gave itself. */
type Received = { helo: string; from: string; to: string[]; source: string }

/** A mail server on loopback with the necessary parts of RFC 5321. Tests set its response to a recipient. */
export async function fakeSmtp() {
  const mails: Received[] = []
  let greeting = '220 mail.example.com ESMTP'
  let answer = '250 OK'
  let mostAnswered = Number.POSITIVE_INFINITY
  let breaksOff = false
  const server = createServer((socket) => {
    const say = (line: string) => void socket.write(`${line}\r\n`)
    let helo = ''
    let mail: Received = { helo, from: '', to: [], source: '' }
    let inData = false
    let buffered = ''
    say(greeting)
    socket.on('data', (bytes) => {
      buffered += bytes.toString()
      for (let end = buffered.indexOf('\r\n'); end >= 0; end = buffered.indexOf('\r\n')) {
        const line = buffered.slice(0, end)
        buffered = buffered.slice(end + 2)
        if (!inData) command(line)
        else if (line === '.') {
          inData = false
          mails.push(mail)
          if (breaksOff) socket.destroy()
          else if (mails.length <= mostAnswered) say('250 OK: queued')
        } else mail.source += `${line.replace(/^\.\./, '.')}\n`
      }
    })
    function command(line: string) {
      const verb = line.slice(0, 4).toUpperCase()
      if (verb === 'EHLO' || verb === 'HELO') {
        helo = line.slice(5)
        return say('250 mail.example.com')
      }
      if (verb === 'MAIL') {
        mail = { helo, from: addressIn(line), to: [], source: '' }
        return say('250 OK')
      }
      if (verb === 'RCPT') {
        if (answer.startsWith('250')) mail.to.push(addressIn(line))
        return say(answer)
      }
      if (verb === 'DATA') {
        inData = true
        return say('354 Go ahead')
      }
      if (verb === 'QUIT') return void socket.end('221 Bye\r\n')
      say(verb === 'RSET' ? '250 OK' : '502 Not implemented')
    }
  })
  const { port, close } = await listen(server)
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'ToolBox <toolbox@example.com>' },
    mails,
    setGreeting: (line: string) => {
      greeting = line
    },
    /** Sets the response to a recipient: `250 OK` or a refusal. */
    setRecipientReply: (line: string) => {
      answer = line
    },
    /** Accepts further mails after this count, but no longer confirms them. */
    confirmUpTo: (count: number) => {
      mostAnswered = count
    },
    /** Accepts mails, but drops the connection instead of confirming them. */
    breaksOff: (isBreaking: boolean) => {
      breaksOff = isBreaking
    },
    close,
  }
}

const addressIn = (line: string) => /<([^>]*)>/.exec(line)?.[1] ?? ''
