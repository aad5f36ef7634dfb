import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf } from '../../backups/config.ts'
import { freeName } from '../../backups/folder.ts'
import { leftOut } from '../../backups/make.ts'
import { type AppConfig, variables } from '../../config.ts'
import { isMigrated } from '../../migrations.ts'
import { describeConfig, readConfig } from '../../platform/config/config.ts'
import { makeFolder } from '../../platform/config/data-folder.ts'
import { upgrade } from '../../upgrade.ts'
import { openQuestions, type Questions } from '../ask.ts'
import { databaseFile } from '../database-file.ts'
import { writeRowsOf } from '../export.ts'
import { replaceAll } from '../import.ts'
import { logCommand } from '../log-command.ts'
import { type Command, type Terminal, withDatabase } from '../terminal.ts'
import { adoptSecret } from './adopt-secret.ts'
import { choose } from './choose.ts'
import { type Draft, draftFolder, fits, makeDraft, sealDraftAnew } from './draft.ts'
import { putInPlace } from './put-in-place.ts'

/** Replaces the current database by a backup, and keeps the old one. Everything is checked in a copy before anything changes. */
export const restore: Command = async (args, terminal) => {
  const questions = openQuestions()
  try {
    await restoreWith(questions, args, terminal)
  } finally {
    questions.close()
  }
}

/** The same, by whom these questions are answered. */
export async function restoreWith(
  questions: Pick<Questions, 'ask' | 'isTerminal'>,
  args: string[],
  terminal: Terminal,
): Promise<void> {
  const config = readConfig(variables, terminal.env, terminal.folder)
  try {
    await restoreFrom(args, { config, terminal, questions })
  } finally {
    rmSync(draftFolder(config), { recursive: true, force: true })
  }
}

type Scene = { config: AppConfig; terminal: Terminal; questions: Pick<Questions, 'ask' | 'isTerminal'> }

async function restoreFrom(args: string[], { config, terminal, questions }: Scene): Promise<void> {
  const file = await choose(args, config, terminal, questions)
  const draft = await makeDraft(file, config, questions)
  const isForeign = !fits(draft, config)
  if (isForeign && !draft.inside)
    throw new Error(
      `The secrets in ${file} were encrypted with another APP_SECRET. Set that one as APP_SECRET_PREVIOUS first.`,
    )
  const kept = config.databaseUrl
    ? await replaceRows(draft, { config, terminal, isForeign })
    : await replaceFile(draft, { config, terminal, isForeign })
  await logCommand(terminal, 'data.restore', file)
  terminal.say(kept ? `Restored ${file}. The previous database is ${kept}.` : `Restored ${file}.`)
}

type Replacing = { config: AppConfig; terminal: Terminal; isForeign: boolean }

async function replaceFile(draft: Draft, { config, terminal, isForeign }: Replacing): Promise<string | undefined> {
  const target = databaseFile(config)
  if (isForeign && draft.inside) {
    // Where there is nothing yet, the secret comes along; otherwise one rename must change everything.
    if (existsSync(target) || !isSecretKept(terminal)) await sealDraftAnew(draft, draft.inside, config)
    else adoptSecret(config.dataDir, draft.inside.appSecret)
  }
  return putInPlace(target, draft.file)
}

/** Whether APP_SECRET is the one in the data folder. */
const isSecretKept = ({ env, folder }: Terminal): boolean =>
  describeConfig(variables, env, folder).found.some(({ name, source }) => name === 'APP_SECRET' && source === 'default')

/** In one transaction, after the present rows were put aside. */
async function replaceRows(draft: Draft, { config, terminal, isForeign }: Replacing): Promise<string | undefined> {
  if (isForeign && draft.inside) await sealDraftAnew(draft, draft.inside, config)
  const rows = join(draft.folder, 'rows.jsonl')
  await writeRowsOf(draft.folder, rows)
  return withDatabase(terminal, async (db) => {
    const folder = folderOf(config)
    const kept = join(folder, freeName(folder, Date.now(), 'jsonl', 'restore'))
    const isUsed = await isMigrated(db)
    if (isUsed) {
      makeFolder(folder)
      await db.backups.make(kept, leftOut)
    }
    await upgrade({ db, config, at: Date.now(), say: terminal.say })
    await replaceAll({ db, config }, rows, { isAgreed: true, isOurs: true })
    return isUsed ? kept : undefined
  })
}
