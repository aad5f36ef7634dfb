import { seconds } from '../../../shared/time.ts'
import type { App } from '../app.ts'
import type { Unanswered } from './unanswered.ts'

/** For answers that are under way when the server stops. */
const lastAnswers = seconds(3)

/** A stop waits for answers under way, not for connections that are merely kept, just opened or never read from. */
export function closeInTime(app: App, answers: Unanswered): void {
  let closing = false
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('preClose', (done) => {
    closing = true
    const giveUp = setTimeout(() => app.server.closeAllConnections(), lastAnswers).unref()
    const check = setInterval(() => answers.areNone() && app.server.closeAllConnections(), 50).unref()
    app.server.once('close', () => {
      clearTimeout(giveUp)
      clearInterval(check)
    })
    done()
  })
}
