//! The steps, and what each changes.

use stateright::{Model, Property};

use super::state::{Database, EXPIRED, Held, MESSAGES, Node, Queue, Set, State, bit, messages};

/// The protocol, or a variant that is broken on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    Real,
    /// A lease that was lost and taken again is taken for the same lease.
    NoEpoch,
    /// Nothing is checked when a request is written.
    NoPermit,
    /// The next message of a lane starts before the outcome of the last one is durable.
    OpenEarly,
    /// The outcome is stored before the message is sent.
    StoreFirst,
    /// Leases are taken before they have expired.
    TakeEarly,
    /// A shard is released while attempts may be under way.
    ReleaseEarly,
    /// A message is enqueued although others before it are unknown.
    IgnoreGaps,
    /// A queue is not notified of a message that comes while the lease is too old.
    ForgetWhileOld,
    /// A queue is dropped while its lease is too old, or is about to be released.
    DropEarly,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Protocol {
    pub(super) variant: Variant,
    /// How many messages were delivered before.
    pub(super) delivered: u8,
    /// Whether it is checked why a message arrives again.
    pub(super) checks_repeats: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Action {
    node: usize,
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    PassTime,
    CommitElsewhere,
    Commit,
    Enqueue(u8),
    /// With the time since the database's clock was read.
    Renew(u8),
    Hold,
    Leave,
    Release,
    Read,
    Drop,
    Start(u8),
    Write(u8),
    WriteOld(u8),
    LoseRequest(u8),
    LoseAnswer(u8),
    Store(u8),
    StoreOld(u8),
    LoseStored(u8),
    Crash,
    CrashAndRelease,
}

impl Model for Protocol {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::new(self.delivered)]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.push(Action { node: 0, step: Step::PassTime });
        if state.database.committed < MESSAGES {
            actions.push(Action { node: 0, step: Step::CommitElsewhere });
        }
        for (number, node) in state.nodes.iter().enumerate() {
            let mut add = |step| actions.push(Action { node: number, step });
            self.lease_steps(&state.database, node, number, &mut add);
            if node.takes_requests && state.database.committed < MESSAGES {
                add(Step::Commit);
            }
            messages(node.inbox).for_each(|message| add(Step::Enqueue(message)));
            let has_queue = node.queue.is_some_and(|queue| !self.is_former(node, &queue));
            if node.may_start() || has_queue {
                add(Step::Read);
            }
            if let Some(queue) = &node.queue {
                let is_owner = state.database.owner.map(usize::from) == Some(number);
                if self.may_drop(node, queue, is_owner) {
                    add(Step::Drop);
                }
                self.queue_steps(node, queue, &mut add);
                // What is stored was answered.
                let unstored = queue.received & state.database.pending;
                messages(unstored).for_each(|message| add(Step::LoseAnswer(message)));
            }
            messages(node.old_started).for_each(|message| add(Step::WriteOld(message)));
            messages(node.old_received).for_each(|message| add(Step::StoreOld(message)));
            add(Step::Crash);
            add(Step::CrashAndRelease);
        }
    }

    fn next_state(&self, state: &State, Action { node, step }: Action) -> Option<State> {
        let mut next = *state;
        match step {
            Step::PassTime => next.pass_time(),
            Step::CommitElsewhere => drop(next.database.commit()),
            Step::Renew(_) | Step::Release | Step::Crash | Step::CrashAndRelease => {
                Self::change_lease(&mut next, node, step);
            }
            Step::Commit
            | Step::Enqueue(_)
            | Step::Hold
            | Step::Leave
            | Step::Read
            | Step::Drop => {
                self.change_node(&mut next, node, step);
            }
            Step::Start(message)
            | Step::Write(message)
            | Step::WriteOld(message)
            | Step::LoseRequest(message)
            | Step::LoseAnswer(message)
            | Step::Store(message)
            | Step::StoreOld(message)
            | Step::LoseStored(message) => self.attempt(&mut next, node, step, message),
        }
        if !matches!(self.variant, Variant::NoEpoch | Variant::NoPermit) {
            next.forget_former();
        }
        if !self.checks_repeats {
            next.forget_repeats();
        }
        let next = next.normalized();
        (next != *state).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("no message is lost", |_, state: &State| state.lost() == 0),
            Property::always("lanes stay in order", |_, state: &State| !state.out_of_order),
            Property::always("only heads repeat", |_, state: &State| !state.repeated),
            Property::always("nothing is sent twice", |_, state: &State| !state.sent_twice),
        ]
    }
}

impl Protocol {
    fn lease_steps(
        &self,
        database: &Database,
        node: &Node,
        number: usize,
        add: &mut impl FnMut(Step),
    ) {
        let is_owner = database.owner.map(usize::from) == Some(number);
        let taken_at = if self.variant == Variant::TakeEarly { EXPIRED - 1 } else { EXPIRED };
        if is_owner || database.age >= taken_at {
            (0..EXPIRED).for_each(|age| add(Step::Renew(age)));
        }
        if is_owner {
            add(Step::Hold);
        }
        if node.held.is_some() {
            add(Step::Leave);
        }
        let may_release =
            node.held.is_none() || (self.variant == Variant::ReleaseEarly && node.is_leaving());
        if is_owner && may_release {
            add(Step::Release);
        }
    }

    fn queue_steps(&self, node: &Node, queue: &Queue, add: &mut impl FnMut(Step)) {
        if node.may_start() && self.is_current(node, queue) {
            queue.ready(self.closed(queue)).for_each(|message| add(Step::Start(message)));
        }
        for message in messages(queue.started) {
            if self.is_permitted(node, queue) {
                add(Step::Write(message));
            }
            add(Step::LoseRequest(message));
        }
        for message in messages(queue.received) {
            add(Step::Store(message));
            add(Step::LoseStored(message));
        }
    }

    /// Messages whose lanes wait for their outcome.
    fn closed(&self, queue: &Queue) -> Set {
        let opens_early = self.variant == Variant::OpenEarly;
        if opens_early { queue.started } else { queue.started | queue.received }
    }

    /// Whether a node drops a queue: it holds another lease, or has found out that it holds none.
    fn may_drop(&self, node: &Node, queue: &Queue, is_owner: bool) -> bool {
        if self.variant == Variant::DropEarly {
            return node.is_leaving() || !self.is_current(node, queue);
        }
        self.is_former(node, queue) || (node.held.is_none() && !is_owner)
    }

    /// Whether a queue was filled under another lease than the node holds.
    fn is_former(&self, node: &Node, queue: &Queue) -> bool {
        node.held.is_some() && !self.is_current(node, queue)
    }

    /// Whether a queue was filled under the lease that the node holds.
    fn is_current(&self, node: &Node, queue: &Queue) -> bool {
        self.variant == Variant::NoEpoch || node.held.is_some_and(|held| held.epoch == queue.epoch)
    }

    fn is_permitted(&self, node: &Node, queue: &Queue) -> bool {
        self.variant == Variant::NoPermit || (node.may_write() && self.is_current(node, queue))
    }

    fn change_lease(state: &mut State, number: usize, step: Step) {
        let State { database, nodes, .. } = state;
        let node = &mut nodes[number];
        let is_owner = database.owner.map(usize::from) == Some(number);
        let mut excused = 0;
        match step {
            Step::Renew(age) if is_owner => {
                database.age = database.age.min(age);
            }
            Step::Renew(age) => {
                database.owner = u8::try_from(number).ok();
                database.age = age;
                database.epoch += 1;
                excused = database.pending;
            }
            Step::Crash | Step::CrashAndRelease => {
                excused = node.received();
                *node = Node { takes_requests: node.takes_requests, ..Node::default() };
            }
            _ => (),
        }
        if is_owner && matches!(step, Step::Release | Step::CrashAndRelease) {
            (database.owner, database.age) = (None, EXPIRED);
        }
        state.excuse(excused);
    }

    fn change_node(&self, state: &mut State, number: usize, step: Step) {
        let State { database, nodes, .. } = state;
        let node = &mut nodes[number];
        match step {
            Step::Commit => node.inbox |= database.commit(),
            Step::Enqueue(message) => self.enqueue(node, message),
            Step::Hold if database.age < EXPIRED => {
                node.held = Some(Held { epoch: database.epoch, age: database.age });
            }
            Step::Leave => node.leave(),
            Step::Drop => self.drop_queue(node),
            Step::Read => {
                let queue = self.current_queue(node);
                queue.window |= database.pending & !(bit(queue.after) - 1);
                queue.after = database.committed;
                queue.more = false;
            }
            _ => (),
        }
    }

    /// The queue under the lease that is held now; a new one knows nothing.
    fn current_queue<'a>(&self, node: &'a mut Node) -> &'a mut Queue {
        if node.queue.is_some_and(|queue| self.is_former(node, &queue)) {
            self.drop_queue(node);
        }
        let epoch = node.held.map_or(0, |held| held.epoch);
        node.queue.get_or_insert(Queue::new(epoch))
    }

    /// Attempts that are not written lose their permit. Those that were received are stored.
    fn drop_queue(&self, node: &mut Node) {
        let Some(queue) = node.queue.take() else { return };
        node.old_received |= queue.received;
        if self.variant == Variant::NoPermit {
            node.old_started |= queue.started;
        }
    }

    fn enqueue(&self, node: &mut Node, message: u8) {
        node.inbox &= !bit(message);
        let gapless = self.variant == Variant::IgnoreGaps || node.last == message && message > 0;
        node.last = node.last.max(message + 1);
        let may_start = node.may_start();
        let forgets = self.variant == Variant::ForgetWhileOld;
        if let Some(queue) = &mut node.queue {
            queue.more |= !gapless || (!may_start && !forgets);
        }
        if may_start {
            let queue = self.current_queue(node);
            if queue.more || !gapless {
                queue.more = true;
            } else if message >= queue.after {
                queue.window |= bit(message);
                queue.after = message + 1;
            }
        }
    }

    fn attempt(&self, state: &mut State, number: usize, step: Step, message: u8) {
        let State { database, nodes, .. } = state;
        let node = &mut nodes[number];
        let mut empty = Queue::new(0);
        let queue = node.queue.as_mut().unwrap_or(&mut empty);
        let this = bit(message);
        let stores_first = self.variant == Variant::StoreFirst && matches!(step, Step::Start(_));
        if stores_first || matches!(step, Step::Store(_) | Step::StoreOld(_) | Step::LoseStored(_))
        {
            database.pending &= !this;
        }
        match step {
            Step::Start(_) => queue.started |= this,
            Step::LoseRequest(_) => queue.started &= !this,
            Step::LoseAnswer(_) => {
                queue.received &= !this;
                state.excuse(this);
            }
            Step::Store(_) => {
                queue.received &= !this;
                queue.window &= !this;
            }
            Step::StoreOld(_) => node.old_received &= !this,
            Step::Write(_) => {
                queue.started &= !this;
                queue.received |= this;
                state.receive(message);
            }
            Step::WriteOld(_) => {
                node.old_started &= !this;
                node.old_received |= this;
                state.receive(message);
            }
            _ => (),
        }
    }
}

impl Database {
    /// Commits the next message.
    fn commit(&mut self) -> Set {
        let message = bit(self.committed);
        self.pending |= message;
        self.committed += 1;
        message
    }
}

impl Queue {
    fn new(epoch: u8) -> Self {
        Self { epoch, after: 0, more: true, window: 0, started: 0, received: 0 }
    }
}
