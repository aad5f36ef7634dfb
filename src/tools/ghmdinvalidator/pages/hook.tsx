import { Part } from '../../../ui/components/page.tsx'
import { Snippet } from '../../../ui/components/snippet.tsx'
import { RenewHook } from './renew-hook.tsx'
import css from './side.module.css'

/** The secret address that purges on demand, ready to be pasted. */
export function Hook({ entry: { id, hookUrl: url } }: { entry: { id: string; hookUrl: string } }) {
  const curl = `curl -fsS -X POST ${url}`
  const step = `- name: Refresh the images of the readme\n  run: curl -fsS -X POST "$HOOK"\n  env:\n    HOOK: \${{ secrets.TOOLBOX_HOOK }}`
  return (
    <Part className={css.side} aria-label="Purge after a release">
      <h2>Purge after a release</h2>
      <p>
        A POST to this URL starts a run, at most once a minute. Images purged in the last ten minutes are skipped.
        Anyone with this URL can trigger a run. Keep it secret.
      </p>
      <Snippet title="Endpoint" text={url} />
      <RenewHook id={id} />
      <Snippet title="Shell" text={curl} />
      <Snippet title="GitHub Actions" text={step} />
      <p>
        For GitHub Actions, save the URL as a repository secret named <code>TOOLBOX_HOOK</code>.
      </p>
    </Part>
  )
}
