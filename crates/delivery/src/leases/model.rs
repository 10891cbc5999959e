//! A model of how nodes share the sending, checked exhaustively.
//!
//! Three nodes, one shard, and three messages in two lanes, in every order of steps. A node may be
//! slow or stopped between any two steps while the others continue and time passes, its clock may
//! be late by the reserve of a lease, and any answer of the database or the merchant may be lost.
//! Each step stands for a part of the code that happens at once:
//!
//! | Step | Code |
//! | --- | --- |
//! | `Commit` | `Store::commit` of a transaction with a message: numbers rise with commits |
//! | `Enqueue` | `Dispatcher::enqueue`, in any order, with the check for gaps in `follows` |
//! | `CommitElsewhere` | the same by a node that sends nothing; an announcement may be lost |
//! | `Renew` | `Store::heartbeat`, or `Store::take_leases` when the lease has expired |
//! | `Hold` | `SharedLeases::hold`: the node knows its lease; without it, the answer was lost |
//! | `Leave` | `SharedLeases::hold` has more shards than the node's share; `Hold` ends it |
//! | `Release` | `Store::release_leases` when all attempts are over |
//! | `Read` | `Dispatcher::expect`, `Store::pending_messages`, `Dispatcher::finish_refill` |
//! | `Drop` | `Dispatcher::drop_queue`: the node knows of another epoch, or of no lease any more |
//! | `Start` | `Dispatcher::send`: the lease is checked |
//! | `Write` | `Connection::exchange`: `Permit::check`, and the request reaches the merchant |
//! | `LoseRequest` | the request never arrives, or is not written: `Dispatcher::take_back` |
//! | `LoseAnswer` | the request arrived, its answer did not; the attempt fails |
//! | `Store` | `store_batch` commits `Transaction::record_attempts`, and `Dispatcher::open_lanes` |
//! | `LoseStored` | the commit took effect, but its answer was lost: `store_batch` repeats it |
//! | `WriteOld`, `StoreOld` | `Write` and `Store` of a queue that was dropped |
//! | `Crash` | the process dies and starts again, with or without `Store::release_all_leases` |
//! | `PassTime` | one third of a lease passes |
//!
//! What holds in every state: no message is lost, none arrives before an earlier one of its lane,
//! and only the first message of a lane arrives again, and only if an answer, a node or its lease
//! was lost. And from every state everything can still be delivered, so nothing gets stuck.
//!
//! Beside the real protocol there are variants that are broken on purpose, to show that the model
//! would notice.
//!
//! `Renew` may come up to a whole lease after `SharedLeases::renew` read the database's clock.
//!
//! The number of steps, crashes and lost answers is not limited: nodes are interchangeable and
//! epochs are only compared, so there are finitely many states. Simplifications: a failed attempt
//! is one that is made again, so its stored outcome changes nothing. What a queue does with
//! messages that are enqueued while it reads is left to the simulation of the scheduler. Only one
//! node both sends and takes requests. The check of the permit and the write are one step,
//! because no code can prevent that a process is stopped exactly between the two.

mod checks;
mod state;
mod steps;
