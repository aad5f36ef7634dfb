type Owner = { running: number; queue: (() => void)[]; lastTurn: number }

/**
 * Lets so many works run at once. An owner may begin another one while more places are free than they have taken, so that
 * nobody takes them all; of those who wait, the owner with the fewest is next.
 */
export function turnsByOwner(most: number) {
  const owners = new Map<string, Owner>()
  let taken = 0
  let turns = 0

  const mayBegin = ({ running }: Owner) => running < most - taken
  const begin = (owner: Owner) => {
    taken += 1
    turns += 1
    owner.running += 1
    owner.lastTurn = turns
  }
  const nextOwner = () => {
    let next: Owner | undefined
    for (const owner of owners.values()) {
      if (owner.queue.length === 0 || !mayBegin(owner)) continue
      const isEarlier = !next || owner.running < next.running
      if (isEarlier || (owner.running === next?.running && owner.lastTurn < next.lastTurn)) next = owner
    }
    return next
  }
  const end = (id: string, owner: Owner) => {
    taken -= 1
    owner.running -= 1
    if (owner.running === 0 && owner.queue.length === 0) owners.delete(id)
    for (let next = nextOwner(); next; next = nextOwner()) {
      begin(next)
      next.queue.shift()?.()
    }
  }

  /** Waits for this owner's turn; answers how to end it. */
  return async (id: string): Promise<() => void> => {
    const owner = owners.get(id) ?? { running: 0, queue: [], lastTurn: 0 }
    owners.set(id, owner)
    if (owner.queue.length === 0 && mayBegin(owner)) begin(owner)
    else await new Promise<void>((resolve) => owner.queue.push(resolve))
    return () => end(id, owner)
  }
}
