import { changeEntry } from '../../../entries/edit/edit.ts'
import { openSettings } from '../../../entries/settings.ts'
import { entryStore } from '../../../entries/store.ts'
import type { AnyEntryToolServer } from '../../../entries/tool-server.ts'
import type { Context } from '../../../platform/context.ts'
import { byOf } from '../../../platform/http/access/actor.ts'
import { callerOf, guard } from '../../../platform/http/access/guard.ts'
import type { App } from '../../../platform/http/app.ts'
import { routesOf } from '../../../platform/http/calls.ts'
import { HttpError } from '../../../shared/http-error.ts'
import { dayOf } from '../../../shared/time.ts'
import type { KeepaliveConfig } from '../config.ts'
import { doneCalls, keepalive } from '../contract.ts'
import { monthAfter } from './person.ts'

const noDate = 'This entry has no date by which it has to be extended.'

/** The call by which a person says that an app was extended. */
export function doneRoute(app: App, context: Context<KeepaliveConfig>, tool: AnyEntryToolServer): void {
  routesOf(app, doneCalls, keepalive.label)(
    'POST /api/v1/keepalive/done?id',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Say that an app was extended, and plan the next time',
      description: 'The next date is a month after the one before, or after today if that is over.',
      failures: [404, 409],
    },
    async (request) => {
      const { id } = request.query
      const entry = await entryStore(context.db).get(keepalive.id, id, callerOf(request).user)
      const { due } = keepalive.Settings.parse(openSettings(tool, entry.settings, context))
      if (due === null) throw new HttpError(409, noDate)
      const today = dayOf(context.now())
      // Said twice, it was still extended once.
      if (due >= monthAfter(today)) return { id, due }
      const next = monthAfter(due > today ? due : today)
      await changeEntry(context, tool, byOf(request), id, { due: next, ifUpdatedAt: entry.updatedAt })
      return { id, due: next }
    },
  )
}
