use tokio::sync::watch;

/// Tells a service to stop.
#[derive(Debug)]
pub struct Stopper {
    set: watch::Sender<bool>,
}

/// Whether a service is to stop.
#[derive(Clone, Debug)]
pub struct Stop {
    set: watch::Receiver<bool>,
}

impl Stopper {
    /// One that has not told so yet, and what it tells it by.
    pub fn new() -> (Self, Stop) {
        let (sender, receiver) = watch::channel(false);
        (Self { set: sender }, Stop { set: receiver })
    }

    /// Tells it. Dropping the stopper does too.
    pub fn stop(&self) {
        self.set.send_replace(true);
    }
}

impl Drop for Stopper {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Stop {
    /// Whether it is to stop.
    pub fn is_set(&self) -> bool {
        *self.set.borrow()
    }

    /// Waits until it is.
    pub async fn wait(&self) {
        // Who would tell it is gone: then it is time, too.
        drop(self.set.clone().wait_for(|set| *set).await);
    }
}
