import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { AuditAction } from '../people/audit/contract.ts'
import { writeAudit } from '../people/audit/log.ts'
import { type Actor, actorOf } from '../platform/http/access/actor.ts'
import { guard, recentProof } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { contentOf } from '../platform/http/description/content.ts'
import { HttpError, notFound } from '../shared/http-error.ts'
import { type BackupContext, createBackups, isClaimed } from './backups.ts'
import { backupIntervalOf, folderOf } from './config.ts'
import { backupCalls } from './contract.ts'
import { findBackup, listBackups } from './folder.ts'
import { nextBackup } from './schedule.ts'
import { readState } from './state.ts'

const notSealed = 'Only encrypted backups can be downloaded. Set BACKUP_PASSPHRASE to make one.'

export function backupRoutes(app: App, context: BackupContext): void {
  const { config, db, now } = context
  const folder = folderOf(config)
  const { make } = createBackups(context)
  const audit = (actor: Actor, action: AuditAction, name: string) =>
    writeAudit(db.q, now(), { actor, action, target: { id: null, name } })

  const route = routesOf(app, backupCalls, 'Server')
  route('GET /api/v1/admin/backups', { ...guard('Admin', 2, 'never'), summary: 'List backups, newest first' }, () =>
    listBackups(folder),
  )

  route(
    'POST /api/v1/admin/backups',
    {
      ...guard('Admin', 2, 'never'),
      summary: 'Back up now',
      failures: [409],
      description: 'Responds once the backup is made and verified. Returns 409 if another backup is in progress.',
    },
    async (request) => {
      const backup = await make()
      await audit(actorOf(request), 'data.backup', backup.name)
      return backup
    },
  )

  route(
    'GET /api/v1/admin/backups/status',
    { ...guard('Admin', 2, 'never'), summary: 'Get the schedule and status of backups' },
    async () => {
      const state = await readState(db.q)
      return {
        every: backupIntervalOf(config),
        seals: config.backupPassphrase !== undefined,
        folder,
        isRunning: isClaimed(state, now()),
        next: nextBackup(context, state, now()) ?? null,
        failed: state.failed ?? null,
      }
    },
  )

  route(
    'GET /api/v1/admin/backups/:name',
    {
      ...recentProof(guard('Admin', 2, 'never')),
      summary: 'Download an encrypted backup',
      failures: [403, 404],
      description: 'Unencrypted backups cannot be downloaded. With `check`, returns 204 instead of the file.',
      answers: {
        200: contentOf('application/octet-stream', 'The file.'),
        204: z.null().register(z.globalRegistry, { description: 'The file is available.' }),
      },
    },
    async (request, reply) => {
      const backup = await findBackup(folder, request.params.name)
      if (!backup) throw notFound('Backup')
      if (!backup.sealed) throw new HttpError(403, notSealed)
      if (request.query.check) return reply.code(204).send(null)
      if (request.method === 'GET') await audit(actorOf(request), 'data.download', backup.name)
      return reply
        .header('content-disposition', `attachment; filename="${backup.name}"`)
        .header('content-length', backup.size)
        .type('application/octet-stream')
        .send(createReadStream(join(folder, backup.name)))
    },
  )
}
