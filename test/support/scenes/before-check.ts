import type { App } from '../../../src/platform/http/app.ts'

/** Does something just before the server looks for the nth time whether the caller of what takes long may go on. */
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
