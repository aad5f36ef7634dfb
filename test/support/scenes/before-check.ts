import type { App } from '../../../src/platform/http/app.ts'

/** Runs `work` just before the server identifies the caller for the nth time, as long calls do to recheck access. */
export function beforeCheck(app: App, nth: number, work: () => Promise<unknown>): void {
  const { identify } = app
  let looks = 0
  app.identify = async (request) => {
    looks += 1
    if (looks === nth) {
      app.identify = identify
      await work()
    }
    return identify(request)
  }
}
