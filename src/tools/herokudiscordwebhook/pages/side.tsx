import { useState } from 'react'
import { Deliveries } from './deliveries.tsx'
import { Reach } from './reach.tsx'
import type { Relay } from './relay.ts'
import { State } from './state.tsx'

/** How to connect Heroku stands first where that is what is left to do, and stays there under whoever reads it. */
const useReachFirst = ({ connectedAt }: Relay): boolean => useState(connectedAt === null)[0]

export const Side = ({ entry }: { entry: Relay }) => {
  const reachFirst = useReachFirst(entry)
  return (
    <>
      <State entry={entry} />
      {reachFirst && <Reach entry={entry} />}
      <Deliveries entry={entry} />
    </>
  )
}

export const ReachAgain = ({ entry }: { entry: Relay }) => !useReachFirst(entry) && <Reach entry={entry} />
