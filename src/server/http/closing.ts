import { seconds } from '../../shared/time.ts'
import type { App } from './server.ts'

/** For answers that are under way when the server stops. */
const lastAnswers = seconds(10)

/** A stop waits for answers under way, not for connections that are merely kept, just opened or never read from. */
export function closeInTime(app: App): void {
  let closing = false
  let underWay = 0
  app.server.on('request', (_request, response) => {
    underWay++
    response.once('close', () => underWay--)
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('preClose', (done) => {
    closing = true
    const giveUp = setTimeout(() => app.server.closeAllConnections(), lastAnswers).unref()
    const check = setInterval(() => underWay === 0 && app.server.closeAllConnections(), 50).unref()
    app.server.once('close', () => {
      clearTimeout(giveUp)
      clearInterval(check)
    })
    done()
  })
}
